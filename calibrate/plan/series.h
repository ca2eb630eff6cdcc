#pragma once
#include <string>
#include <vector>

#include "models/hw/profile/operators.h"

namespace servecast {

/// One call of one operator that can be measured; the words are those of a sample (docs/calibrate.md).
struct MeasureTarget {
  std::string engine = "servecast";  // whose kernel
  std::string op{};
  std::string dtype{};
  std::string kv_dtype{};
  std::string mode{};
  std::string kernel{};
  KernelShape shape{};

  auto operator<=>(const MeasureTarget&) const = default;
};

struct SeriesAxis {
  std::int64_t KernelShape::*size = nullptr;
  std::vector<std::int64_t> values{};  // rising; at least one
};

/// Targets that differ in their sizes only: every combination of the axes' values.
struct Series {
  MeasureTarget like{};
  std::vector<SeriesAxis> axes{};
  /// Sets sizes that follow from others; null where none do.
  void (*complete)(KernelShape&) = nullptr;
};

/// What `servecast-calibrate measure` plans over: the operators of a step, copies, launches, and what libraries make
/// of the same products and sums.
std::vector<Series> standard_series();

}  // namespace servecast
