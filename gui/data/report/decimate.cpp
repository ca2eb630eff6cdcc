#include "gui/data/report/decimate.h"

#include <algorithm>

#include "gui/data/report/bins.h"

namespace servecast::gui {

std::vector<Extent> decimate(const Column& time_s, const Column& values, const Span& span, std::size_t columns) {
  std::vector<Extent> out(columns);
  if (columns == 0 || span.to <= span.from || time_s.empty()) return out;
  const double per_s = static_cast<double>(columns) / (span.to - span.from);
  for (std::size_t i = 0; i < time_s.size(); ++i) {
    const double at = (time_s[i] - span.from) * per_s;
    if (at < 0 || at >= static_cast<double>(columns)) continue;
    Extent& extent = out[static_cast<std::size_t>(at)];
    extent = extent.empty ? Extent{values[i], values[i], false}
                          : Extent{std::min(extent.low, values[i]), std::max(extent.high, values[i]), false};
  }
  double last = values.front();
  std::size_t next = 0;  // row that begins next
  for (std::size_t c = 0; c < columns; ++c) {
    if (out[c].empty && next > 0) out[c] = {last, last, false};
    const double end_s = span.from + static_cast<double>(c + 1) / per_s;
    while (next < time_s.size() && time_s[next] < end_s) last = values[next++];
  }
  return out;
}

}  // namespace servecast::gui
