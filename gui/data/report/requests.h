#pragma once
#include <array>
#include <string>
#include <string_view>

#include "gui/data/report/csv_columns.h"

namespace servecast::gui {

/// The latencies of a request, as docs/report.md defines them.
enum class Metric : std::uint8_t { ttft_s, tpot_s, e2e_s, queue_s };
inline constexpr std::array<std::string_view, 4> metric_names{"ttft_s", "tpot_s", "e2e_s", "queue_s"};

/// requests.csv by column, and the latencies that follow from it.
struct Requests {
  Column request_id{}, arrival_s{}, scheduled_s{}, first_token_s{}, finish_s{};
  Column prompt_tokens{}, output_tokens{}, replica{}, preemptions{};
  Column cached_tokens{};                  // empty where no request found any
  Column decode_replica{}, prompt_end_s{}, hand_over_s{};  // empty where no request moved
  Column gateway_s{}, llm_calls{};         // empty where there is no gateway
  Words pool{}, status{};
  Words request_class{};  // empty where there is one class
  std::array<Column, metric_names.size()> latency{};

  std::size_t size() const { return request_id.size(); }
  const Column& operator[](Metric metric) const { return latency[static_cast<std::size_t>(metric)]; }
};

/// Rows are sorted by id, which need not be the order of arrival. Throws UserError as CsvColumns does.
Requests read_requests(const std::string& file);

}  // namespace servecast::gui
