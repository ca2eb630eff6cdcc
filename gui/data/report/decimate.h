#pragma once
#include <cstddef>
#include <vector>

#include "gui/data/report/csv_columns.h"

namespace servecast::gui {

struct Span;

/// Least and largest value within one pixel column.
struct Extent {
  double low = 0;
  double high = 0;
  bool empty = true;
};

/// Values that rise in time, cut into `columns` equal pieces of `span`. A piece in which no value begins carries on
/// the one before, as the values hold until the next one.
std::vector<Extent> decimate(const Column& time_s, const Column& values, const Span& span, std::size_t columns);

}  // namespace servecast::gui
