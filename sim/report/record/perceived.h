#pragma once
#include <algorithm>
#include <optional>

#include "models/base/record.h"
#include "sim/report/record/latency.h"
#include "sim/report/statistics/spread.h"

namespace servecast {

/// Readers of the answers of a class of requests.
struct ReaderFacts {
  double first_field_tokens = 0;
  double reading_tokens_per_s = 0;
};

/// What readers feel beside the time to the first token. Tokens of an answer are taken to come evenly between its
/// first and its last one: pauses within it that make up for each other are not seen.
struct PerceivedTotals {
  Spread first_line_s{};    // answers line by line: a field is there when its last token is
  Spread first_object_s{};  // answers as one JSON object: no field can be used before all are there
  Spread stall_s{};         // time in which the reader has read all that is there and waits for more

  void coarsen() {
    for (Spread* spread : {&first_line_s, &first_object_s, &stall_s}) spread->coarsen();
  }
  PerceivedTotals& operator+=(const PerceivedTotals& next) {
    first_line_s += next.first_line_s;
    first_object_s += next.first_object_s;
    stall_s += next.stall_s;
    return *this;
  }
  void add(const RequestRecord& r, const ReaderFacts& reader) {
    const std::optional<double> whole_s = e2e_s(r);
    if (!whole_s || !r.first_token_s) return;
    const double ttft = *ttft_s(r);
    const double tpot = tpot_s(r).value_or(0);
    const auto tokens = static_cast<double>(r.output_tokens);
    const double field = std::min(reader.first_field_tokens, tokens);
    first_line_s.add(ttft + tpot * std::max(0.0, field - 1));
    first_object_s.add(*whole_s);
    stall_s.add(std::max(0.0, *whole_s - ttft - (tokens - 1) / reader.reading_tokens_per_s));
  }
};

}  // namespace servecast
