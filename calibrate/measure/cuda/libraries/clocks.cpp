#include "calibrate/measure/cuda/libraries/clocks.h"

#include <algorithm>
#include <array>

#include "calibrate/measure/cuda/libraries/shared_library.h"

namespace servecast {
namespace {

// From NVML's reference manual; the toolkit need not have nvml.h.
using Device = struct nvmlDevice_st*;
constexpr int success = 0;
constexpr int sm_clock = 1;
constexpr int memory_clock = 2;
/// Reasons: SwPowerCap, HwSlowdown, SwThermalSlowdown, HwThermalSlowdown, HwPowerBrakeSlowdown.
struct Utilisation {
  unsigned gpu = 0;
  unsigned memory = 0;
};
struct Process {  // nvmlProcessInfo_v2_t
  unsigned pid = 0;
  unsigned long long used_bytes = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};
struct ProcessSample {
  unsigned pid = 0;
  unsigned long long time_us = 0;
  unsigned sm_percent = 0;
  unsigned memory_percent = 0;
  unsigned encoder_percent = 0;
  unsigned decoder_percent = 0;
};
constexpr unsigned most_processes = 256;
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
  int (*utilisation)(Device,
                     Utilisation*) = library.function<int (*)(Device, Utilisation*)>("nvmlDeviceGetUtilizationRates");
  int (*processes)(Device, unsigned*, Process*) =
      library.function<int (*)(Device, unsigned*, Process*)>("nvmlDeviceGetComputeRunningProcesses_v3");
  int (*samples)(Device, ProcessSample*, unsigned*, unsigned long long) =
      library.function<int (*)(Device, ProcessSample*, unsigned*, unsigned long long)>(
          "nvmlDeviceGetProcessUtilization");
  Device device = nullptr;
};

Clocks::Clocks(const std::string& pci_bus_id) : nvml_(std::make_unique<Nvml>()) {
  if (nvml_->init() != success || nvml_->by_bus_id(pci_bus_id.c_str(), &nvml_->device) != success)
    throw DeviceError("NVML does not know the GPU at " + pci_bus_id + ", so throttling would not be seen");
}

Clocks::~Clocks() { nvml_->shutdown(); }

ClockState Clocks::read() const {
  unsigned sm_mhz = 0;
  unsigned memory_mhz = 0;
  unsigned long long reasons = 0;
  if (nvml_->clock(nvml_->device, sm_clock, &sm_mhz) != success ||
      nvml_->clock(nvml_->device, memory_clock, &memory_mhz) != success ||
      nvml_->reasons(nvml_->device, &reasons) != success)
    throw DeviceError("NVML does not tell the GPU's clocks, so throttling would not be seen");
  return {.sm_mhz = static_cast<double>(sm_mhz),
          .memory_mhz = static_cast<double>(memory_mhz),
          .throttled = (reasons & held_back) != 0};
}

std::string Clocks::driver() const {
  std::array<char, 96> text{};
  nvml_->version(text.data(), static_cast<unsigned>(text.size()));
  return text.data();
}

std::set<unsigned> Clocks::processes() const {
  std::array<Process, most_processes> all{};
  unsigned count = most_processes;
  if (nvml_->processes(nvml_->device, &count, all.data()) != success) return {};
  std::set<unsigned> pids;
  for (unsigned i = 0; i < count; ++i) pids.insert(all[i].pid);
  return pids;
}

std::optional<unsigned> Clocks::busy_percent() const {
  Utilisation utilisation;
  if (nvml_->utilisation(nvml_->device, &utilisation) != success) return std::nullopt;
  return utilisation.gpu;
}

std::vector<ProcessLoad> Clocks::loads() {
  std::array<ProcessSample, most_processes> all{};
  unsigned count = most_processes;
  if (nvml_->samples(nvml_->device, all.data(), &count, seen_us_) != success) return {};
  std::vector<ProcessLoad> loads;
  for (unsigned i = 0; i < count; ++i) {
    if (all[i].time_us <= seen_us_) continue;
    loads.push_back({.pid = all[i].pid, .sm_percent = all[i].sm_percent});
  }
  for (unsigned i = 0; i < count; ++i) seen_us_ = std::max(seen_us_, all[i].time_us);
  return loads;
}

}  // namespace servecast
