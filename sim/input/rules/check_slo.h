#pragma once
namespace servecast {

struct ScenarioSpec;
struct YamlText;

/// What classes of requests are promised: a name and a bound each, once.
void check_slo(YamlText& text, const ScenarioSpec& spec);

}  // namespace servecast
