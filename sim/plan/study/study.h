#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/input/yaml/override.h"
#include "sim/plan/study/expression.h"
#include "sim/plan/study/study_spec.h"

namespace servecast {

/// One value that a dimension can take.
struct DimensionValue {
  std::string name{};
  std::vector<Override> set{};
};

struct Dimension {
  std::string name{};
  std::vector<DimensionValue> values{};
  std::optional<Expression> when{};
  std::string place{};  // "study.yaml:12:5", for messages about what it sets
};

/// A study that was read and checked.
struct Study {
  StudySpec spec{};
  std::string scenario_file{};  // what load_scenario() is given
  std::vector<Dimension> dimensions{};
  std::vector<Expression> constraints{};
  std::optional<double> most_lost_points{};  // that a design's weights and models may lose

  /// Rate at which the promise is to be kept, over the base scenario's; and the mean over a day.
  double peak_rate_factor() const;
  double mean_rate_factor() const { return spec.demand.growth_factor; }
};

/// Whether a file is meant as a study: it has keys that only a study has.
bool is_study(const std::string& file);

/// Throws UserError with everything that is wrong, each with its place.
Study load_study(const std::string& file);

}  // namespace servecast
