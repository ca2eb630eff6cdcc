#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "calibrate/measure/gpu_users.h"

namespace servecast {

struct ClockState {
  double sm_mhz = 0;
  double memory_mhz = 0;
  bool throttled = false;  // for heat or power
};

/// NVML's view of a GPU and of processes that use it. It only reads.
class Clocks {
 public:
  /// `pci_bus_id`: as CUDA writes it. Throws DeviceError where NVML is missing.
  explicit Clocks(const std::string& pci_bus_id);
  ~Clocks();
  ClockState read() const;
  std::string driver() const;
  /// Processes that compute on it, by the driver's numbers.
  std::set<unsigned> processes() const;
  /// Of the last second or so, in which a kernel ran. None where the driver does not say, as for a part made by MIG.
  std::optional<unsigned> busy_percent() const;
  /// What each process did since the last call; empty where the driver does not say.
  std::vector<ProcessLoad> loads();

 private:
  struct Nvml;
  std::unique_ptr<Nvml> nvml_;
  unsigned long long seen_us_ = 0;  // of loads()
};

}  // namespace servecast
