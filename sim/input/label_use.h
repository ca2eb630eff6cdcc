#pragma once
#include "sim/input/scenario.h"

namespace servecast {

/// A label that no queue of the scenario looks at would be ignored: that is a problem of the setting.
void check_labels(YamlText& text, const ScenarioSpec& spec);

}  // namespace servecast
