#pragma once

namespace servecast {

struct ScenarioSpec;
struct YamlText;

/// What is wrong with `exchange_rates` is left in the text's problems. An account in one of these currencies takes
/// its rate from there.
void settle_currency(YamlText& text, ScenarioSpec& spec);

}  // namespace servecast
