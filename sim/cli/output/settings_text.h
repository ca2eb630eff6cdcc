#pragma once
#include <string>

namespace servecast {

struct ScenarioSpec;

/// Every setting as it is used, defaults included, as JSON text: the `settings` of summary.json. Settings without a
/// value are left out, so the text is itself a scenario that reads back the same.
std::string settings_text(ScenarioSpec& spec);

}  // namespace servecast
