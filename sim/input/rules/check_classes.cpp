#include "sim/input/rules/check_classes.h"

#include <fmt/format.h>

#include <set>

#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

template <class OfClass>
void check_given_once(YamlText& text, const std::string& list, const std::vector<OfClass>& entries) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (!seen.insert(entries[i].request_class).second)
      text.fail(fmt::format("{}[{}]", list, i), "there is an entry for this class already");
}

}  // namespace

void check_classes(YamlText& text, const ScenarioSpec& spec) {
  check_given_once(text, "slo.classes", spec.slo.classes);
  check_given_once(text, "perceived", spec.perceived);
  for (std::size_t i = 0; i < spec.slo.classes.size(); ++i) {
    const ClassSloSpec& own = spec.slo.classes[i];
    const std::string path = fmt::format("slo.classes[{}]", i);
    if (own.request_class.empty())
      text.fail(path + ".class", "requests without a class keep what slo itself promises; name a class");
    if (!own.stated()) text.fail(path, "promises nothing: give ttft_s, tpot_s or e2e_s");
  }
}

}  // namespace servecast
