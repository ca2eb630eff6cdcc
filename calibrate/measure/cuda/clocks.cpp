#include "calibrate/measure/cuda/clocks.h"

#include <array>

#include "calibrate/measure/cuda/shared_library.h"

namespace servecast {
namespace {

// From NVML's reference manual; the toolkit need not have nvml.h.
using Device = struct nvmlDevice_st*;
constexpr int success = 0;
constexpr int sm_clock = 1;
/// SwPowerCap, HwSlowdown, SwThermalSlowdown, HwThermalSlowdown, HwPowerBrakeSlowdown.
constexpr unsigned long long held_back = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

}  // namespace

struct Clocks::Nvml {
  SharedLibrary library{"libnvidia-ml.so.1", "reading clocks and throttling"};
  int (*init)() = library.function<int (*)()>("nvmlInit_v2");
  int (*shutdown)() = library.function<int (*)()>("nvmlShutdown");
  int (*by_bus_id)(const char*,
                   Device*) = library.function<int (*)(const char*, Device*)>("nvmlDeviceGetHandleByPciBusId_v2");
  int (*clock)(Device, int, unsigned*) = library.function<int (*)(Device, int, unsigned*)>("nvmlDeviceGetClockInfo");
  int (*reasons)(Device, unsigned long long*) =
      library.function<int (*)(Device, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
  int (*version)(char*, unsigned) = library.function<int (*)(char*, unsigned)>("nvmlSystemGetDriverVersion");
  Device device = nullptr;
};

Clocks::Clocks(const std::string& pci_bus_id) : nvml_(std::make_unique<Nvml>()) {
  if (nvml_->init() != success || nvml_->by_bus_id(pci_bus_id.c_str(), &nvml_->device) != success)
    throw DeviceError("NVML does not know the GPU at " + pci_bus_id + ", so throttling would not be seen");
}

Clocks::~Clocks() { nvml_->shutdown(); }

ClockState Clocks::read() const {
  unsigned mhz = 0;
  unsigned long long reasons = 0;
  if (nvml_->clock(nvml_->device, sm_clock, &mhz) != success || nvml_->reasons(nvml_->device, &reasons) != success)
    throw DeviceError("NVML does not tell the GPU's clock, so throttling would not be seen");
  return {.sm_mhz = static_cast<double>(mhz), .throttled = (reasons & held_back) != 0};
}

std::string Clocks::driver() const {
  std::array<char, 96> text{};
  nvml_->version(text.data(), static_cast<unsigned>(text.size()));
  return text.data();
}

}  // namespace servecast
