#pragma once
namespace servecast {

struct ScenarioSpec;
struct YamlText;

/// A label that no queue of the scenario looks at would be ignored: that is a problem of the setting.
void check_labels(YamlText& text, const ScenarioSpec& spec);

}  // namespace servecast
