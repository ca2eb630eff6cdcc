#pragma once
namespace servecast {

struct ScenarioSpec;
struct YamlText;

/// What is said of classes of requests: what each is promised and how its readers read, once; a promise has a name
/// and a bound.
void check_classes(YamlText& text, const ScenarioSpec& spec);

}  // namespace servecast
