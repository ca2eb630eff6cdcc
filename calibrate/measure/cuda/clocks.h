#pragma once
#include <memory>
#include <string>

namespace servecast {

struct ClockState {
  double sm_mhz = 0;
  bool throttled = false;  // for heat or power
};

/// NVML's view of a GPU. It only reads.
class Clocks {
 public:
  /// `pci_bus_id`: as CUDA writes it. Throws DeviceError where NVML is missing.
  explicit Clocks(const std::string& pci_bus_id);
  ~Clocks();
  ClockState read() const;
  std::string driver() const;

 private:
  struct Nvml;
  std::unique_ptr<Nvml> nvml_;
};

}  // namespace servecast
