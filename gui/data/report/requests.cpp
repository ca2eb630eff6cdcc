#include "gui/data/report/requests.h"

#include <algorithm>
#include <limits>

#include "gui/data/report/mapped_file.h"

namespace servecast::gui {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// later - earlier, row by row; absent where either is (NaN spreads).
Column differences(const Column& later, const Column& earlier) {
  Column out(later.size());
  std::ranges::transform(later, earlier, out.begin(), [](double b, double a) { return b - a; });
  return out;
}

/// When it had all its tokens; absent where it was not completed.
Column completed_s(const Requests& r) {
  Column out = r.finish_s;
  for (std::size_t i = 0; i < r.size(); ++i)
    if (r.status[i] != "completed") out[i] = no_value;
  return out;
}

Column time_per_output_token(const Requests& r) {
  Column out(r.size(), no_value);
  for (std::size_t i = 0; i < r.size(); ++i)
    if (r.output_tokens[i] > 1 && r.status[i] == "completed")
      out[i] = (r.finish_s[i] - r.first_token_s[i]) / (r.output_tokens[i] - 1);
  return out;
}

}  // namespace

Requests read_requests(const std::string& file) {
  Requests r;
  CsvColumns csv("requests.csv");
  csv.number("request_id", r.request_id);
  csv.number("arrival_s", r.arrival_s);
  csv.number("scheduled_s", r.scheduled_s);
  csv.number("first_token_s", r.first_token_s);
  csv.number("finish_s", r.finish_s);
  csv.number("prompt_tokens", r.prompt_tokens);
  csv.number("output_tokens", r.output_tokens);
  csv.number("replica", r.replica);
  csv.number("preemptions", r.preemptions);
  csv.number("cached_tokens", r.cached_tokens, CsvColumns::Need::optional);
  csv.number("decode_replica", r.decode_replica, CsvColumns::Need::optional);
  csv.number("prompt_end_s", r.prompt_end_s, CsvColumns::Need::optional);
  csv.number("hand_over_s", r.hand_over_s, CsvColumns::Need::optional);
  csv.number("gateway_s", r.gateway_s, CsvColumns::Need::optional);
  csv.number("llm_calls", r.llm_calls, CsvColumns::Need::optional);
  csv.words("pool", r.pool);
  csv.words("status", r.status);
  csv.words("class", r.request_class, CsvColumns::Need::optional);
  csv.read(MappedFile(file));
  r.latency = {differences(r.first_token_s, r.arrival_s), time_per_output_token(r),
               differences(completed_s(r), r.arrival_s), differences(r.scheduled_s, r.arrival_s)};
  return r;
}

}  // namespace servecast::gui
