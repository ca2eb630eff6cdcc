#pragma once
#include <string>
#include <vector>

#include "models/base/error.h"
#include "sim/input/scenario/scenario.h"
#include "sim/input/yaml/override.h"

namespace servecast {

struct YamlText;

/// Reads and checks everything: throws UserError with every problem found. Opens the traces.
Scenario load_scenario(const std::string& file, const std::vector<Override>& overrides = {});
/// The same, with files read before.
Scenario load_scenario(const std::string& file, const std::vector<Override>& overrides, HardwareFiles& files);

/// A scenario as far as its sizes go: neither step times nor requests.
struct SizedScenario {
  ScenarioSpec spec{};
  NodeGroups groups{};
  std::vector<Pool> pools{};
  std::vector<Problem> impossible{};  // why machines and model do not go together like this; empty: they do

  const NodeGroup& group_of(const Pool& pool) const { return groups[pool.group]; }
};

/// Throws UserError for a mistake in the text; what is well said but cannot be had is left in `impossible`.
SizedScenario size_scenario(YamlText& text, HardwareFiles& files);

}  // namespace servecast
