#include "calibrate/measure/cuda/libraries/activity.h"

#include <cupti.h>

#include <cstdlib>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "calibrate/measure/cuda/libraries/shared_library.h"

namespace servecast {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

/// Functions of CUPTI, and its records so far. CUPTI's callbacks take no argument of ours, hence one for all.
struct Cupti {
  SharedLibrary library{"libcupti.so.13", "timing on the GPU's own clock"};
  decltype(&cuptiActivityEnable) enable = library.function<decltype(&cuptiActivityEnable)>("cuptiActivityEnable");
  decltype(&cuptiActivityDisable) disable = library.function<decltype(&cuptiActivityDisable)>("cuptiActivityDisable");
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks =
      library.function<decltype(&cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks");
  decltype(&cuptiActivityFlushAll) flush =
      library.function<decltype(&cuptiActivityFlushAll)>("cuptiActivityFlushAll");
  decltype(&cuptiActivityGetNextRecord) next =
      library.function<decltype(&cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord");
  decltype(&cuptiGetResultString) text = library.function<decltype(&cuptiGetResultString)>("cuptiGetResultString");
  std::mutex mutex{};  // buffers come back on a thread of CUPTI's
  std::vector<ActivityRecord> records{};
};
std::optional<Cupti> cupti;

constexpr CUpti_ActivityKind recorded_kinds[]{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                              CUPTI_ACTIVITY_KIND_MEMCPY2};  // from one GPU to another

void CUPTIAPI buffer_wanted(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = *buffer != nullptr ? buffer_bytes : 0;
  *most_records = 0;  // as many as fit
}

template <class Record>
void keep(const CUpti_Activity* record) {
  const auto* timed = reinterpret_cast<const Record*>(record);
  cupti->records.push_back({.start_ns = static_cast<std::int64_t>(timed->start),
                            .end_ns = static_cast<std::int64_t>(timed->end),
                            .copy = !std::is_same_v<Record, CUpti_ActivityKernel10>});
}

void CUPTIAPI buffer_full(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid_bytes) {
  const std::lock_guard lock(cupti->mutex);
  CUpti_Activity* record = nullptr;
  while (cupti->next(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) keep<CUpti_ActivityKernel10>(record);
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) keep<CUpti_ActivityMemcpy6>(record);
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY2) keep<CUpti_ActivityMemcpyPtoP4>(record);
  }
  std::free(buffer);
}

void check(CUptiResult result, const char* what) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  cupti->text(result, &text);
  throw DeviceError(std::string("CUPTI refuses ") + what + ": " + (text != nullptr ? text : "no reason given") +
                    ". Where only administrators may profile, the driver's setting "
                    "NVreg_RestrictProfilingToAdminUsers=0 lets every user");
}

}  // namespace

Activity::Activity() {
  cupti.emplace();
  check(cupti->register_callbacks(buffer_wanted, buffer_full), "its callbacks");
  for (const CUpti_ActivityKind kind : recorded_kinds) check(cupti->enable(kind), "records of kernels and copies");
}

Activity::~Activity() {
  for (const CUpti_ActivityKind kind : recorded_kinds) cupti->disable(kind);
  cupti->flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

std::vector<ActivityRecord> Activity::take() {
  check(cupti->flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "to hand over its records");
  const std::lock_guard lock(cupti->mutex);
  return std::exchange(cupti->records, {});
}

}  // namespace servecast
