#include "calibrate/measure/activity_records.h"

#include <fmt/format.h>

#include <algorithm>

#include "calibrate/measure/gpu_bench.h"

namespace servecast {

std::vector<double> seconds_of_calls(std::vector<ActivityRecord> records, int calls) {
  const auto count = static_cast<std::size_t>(calls);
  if (records.empty() || records.size() % count != 0)
    throw DeviceError(fmt::format("{} calls left {} activity records: some were lost", calls, records.size()));
  std::ranges::sort(records, {}, &ActivityRecord::start_ns);
  const std::size_t each = records.size() / count;
  std::vector<double> seconds;
  for (std::size_t call = 0; call < count; ++call) {
    std::int64_t busy_ns = 0;
    std::int64_t until_ns = records[call * each].start_ns;
    for (std::size_t i = call * each; i < (call + 1) * each; ++i) {
      const std::int64_t from_ns = std::max(records[i].start_ns, until_ns);
      busy_ns += std::max<std::int64_t>(records[i].end_ns - from_ns, 0);
      until_ns = std::max(until_ns, records[i].end_ns);
    }
    seconds.push_back(static_cast<double>(busy_ns) * 1e-9);
  }
  return seconds;
}

}  // namespace servecast
