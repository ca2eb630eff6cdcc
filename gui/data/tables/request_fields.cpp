#include "gui/data/tables/request_fields.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gui/data/report/requests.h"

namespace servecast::gui {

QString RequestField::text(std::size_t row) const {
  return words != nullptr ? QString::fromStdString((*words)[row]) : text_of(quantity, (*numbers)[row]);
}

std::vector<RequestField> request_fields(const Requests& r) {
  using enum Quantity;
  std::vector<RequestField> fields{
      {"request_id", count, &r.request_id},       {"arrival_s", instant_s, &r.arrival_s},
      {"pool", count, nullptr, &r.pool},          {"replica", count, &r.replica},
      {"status", count, nullptr, &r.status},      {"prompt_tokens", count, &r.prompt_tokens},
      {"output_tokens", count, &r.output_tokens}, {"queue_s", latency_s, &r[Metric::queue_s]},
      {"ttft_s", latency_s, &r[Metric::ttft_s]},  {"tpot_s", latency_s, &r[Metric::tpot_s]},
      {"e2e_s", latency_s, &r[Metric::e2e_s]},    {"preemptions", count, &r.preemptions},
      {"scheduled_s", instant_s, &r.scheduled_s}, {"first_token_s", instant_s, &r.first_token_s},
      {"finish_s", instant_s, &r.finish_s},
  };
  if (!r.cached_tokens.empty()) fields.push_back({"cached_tokens", count, &r.cached_tokens});
  if (!r.decode_replica.empty()) fields.push_back({"decode_replica", count, &r.decode_replica});
  if (!r.prompt_end_s.empty()) fields.push_back({"prompt_end_s", instant_s, &r.prompt_end_s});
  if (!r.hand_over_s.empty()) fields.push_back({"hand_over_s", latency_s, &r.hand_over_s});
  if (!r.gateway_s.empty()) fields.push_back({"gateway_s", latency_s, &r.gateway_s});
  if (!r.llm_calls.empty()) fields.push_back({"llm_calls", count, &r.llm_calls});
  if (!r.request_class.empty()) fields.push_back({"class", count, nullptr, &r.request_class});
  return fields;
}

namespace {

/// A number that sorts as the cell does: texts by the alphabetical rank of their word.
Column sort_keys(const RequestField& field) {
  if (field.words == nullptr) return *field.numbers;
  std::vector<std::uint32_t> alphabetical(field.words->names.size());
  std::iota(alphabetical.begin(), alphabetical.end(), 0u);
  std::ranges::sort(alphabetical, {}, [&](std::uint32_t code) { return field.words->names[code]; });
  std::vector<double> rank(alphabetical.size());
  for (std::size_t i = 0; i < alphabetical.size(); ++i) rank[alphabetical[i]] = static_cast<double>(i);
  Column keys(field.words->code.size());
  std::ranges::transform(field.words->code, keys.begin(), [&](std::uint32_t code) { return rank[code]; });
  return keys;
}

}  // namespace

SortedRows sorted_by(const RequestField& field, std::size_t rows) {
  const Column keys = sort_keys(field);
  std::vector<std::pair<double, std::uint32_t>> order;  // keys beside rows: the sort then stays in the cache
  SortedRows out;
  order.reserve(rows);
  std::vector<std::uint32_t> absent;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (std::isnan(keys[row]))
      absent.push_back(row);
    else
      order.emplace_back(keys[row], row);
  }
  if (!std::ranges::is_sorted(order)) std::ranges::sort(order);
  out.with_value = order.size();
  out.rows.reserve(rows);
  for (const auto& [key, row] : order) out.rows.push_back(row);
  out.rows.insert(out.rows.end(), absent.begin(), absent.end());
  return out;
}

}  // namespace servecast::gui
