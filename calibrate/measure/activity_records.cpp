#include "calibrate/measure/activity_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "calibrate/measure/gpu_bench.h"

namespace servecast {

namespace {

/// Records in order of their start.
std::int64_t busy_ns(std::span<const ActivityRecord> records) {
  std::int64_t busy_ns = 0;
  std::int64_t until_ns = records.front().start_ns;
  for (const ActivityRecord& record : records) {
    busy_ns += std::max<std::int64_t>(record.end_ns - std::max(record.start_ns, until_ns), 0);
    until_ns = std::max(until_ns, record.end_ns);
  }
  return busy_ns;
}

std::int64_t span_ns(std::span<const ActivityRecord> records) {
  return std::ranges::max(records, {}, &ActivityRecord::end_ns).end_ns - records.front().start_ns;
}

}  // namespace

std::vector<double> seconds_of_calls(std::vector<ActivityRecord> records, int calls, CallTime time) {
  if (time == CallTime::copies) std::erase_if(records, [](const ActivityRecord& record) { return !record.copy; });
  const auto count = static_cast<std::size_t>(calls);
  if (records.empty() || records.size() % count != 0)
    throw DeviceError(fmt::format("{} calls left {} activity records: some were lost", calls, records.size()));
  std::ranges::sort(records, {}, &ActivityRecord::start_ns);
  const std::size_t each = records.size() / count;
  std::vector<double> seconds;
  for (std::size_t call = 0; call < count; ++call) {
    const auto own = std::span(records).subspan(call * each, each);
    seconds.push_back(static_cast<double>(time == CallTime::span ? span_ns(own) : busy_ns(own)) * 1e-9);
  }
  return seconds;
}

}  // namespace servecast
