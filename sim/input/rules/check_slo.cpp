#include "sim/input/rules/check_slo.h"

#include <fmt/format.h>

#include <set>

#include "sim/input/scenario/scenario.h"

namespace servecast {

void check_slo(YamlText& text, const ScenarioSpec& spec) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < spec.slo.classes.size(); ++i) {
    const ClassSloSpec& own = spec.slo.classes[i];
    const std::string path = fmt::format("slo.classes[{}]", i);
    if (own.request_class.empty())
      text.fail(path + ".class", "requests without a class keep what slo itself promises; name a class");
    if (!seen.insert(own.request_class).second) text.fail(path, "there is an entry for this class already");
    if (!own.stated()) text.fail(path, "promises nothing: give ttft_s, tpot_s or e2e_s");
  }
}

}  // namespace servecast
