#include "tests/matrix/draw/draw_policy.h"

#include <string_view>

#include "tests/matrix/draw/values.h"

namespace servecast::matrix {
namespace {

constexpr double switched = 0.25;

bool of_this_policy(const Setting& setting) { return setting.path.find_first_of(".[") == std::string::npos; }

bool text_of_a_person(const Setting& s) {
  return s.choices.empty() &&
         (s.type == SettingType::text || s.type == SettingType::texts || s.type == SettingType::list);
}

Tree some_value(Draw draw, const Setting& s) {
  if (!s.choices.empty()) return draw.pick(s.choices);
  if (s.type == SettingType::boolean) return true;
  if (s.type == SettingType::integer) return static_cast<std::int64_t>(s.range.min) + draw.between(1, 4);
  return std::min(s.range.min + 0.5, s.range.max);
}

bool is_switch(const Setting& s) { return !s.choices.empty() || s.type == SettingType::boolean; }

}  // namespace

bool can_be_drawn(const std::string& kind, const std::string& policy, const std::vector<Setting>& schema) {
  if (!values_of(kind, policy).empty()) return true;
  return std::none_of(schema.begin(), schema.end(),
                      [](const Setting& s) { return s.required && of_this_policy(s) && text_of_a_person(s); });
}

Tree draw_settings(Draw draw, const std::string& kind, const std::string& policy,
                   const std::vector<Setting>& schema) {
  Tree tree = Tree::object();
  std::size_t row = 0;
  for (const Values& values : values_of(kind, policy)) {
    Draw of_row = draw.at(std::to_string(row++));
    if (of_row.chance(values.often)) tree.update(Tree::parse(of_row.pick(values.settings)), true);
  }
  for (const Setting& s : schema) {
    if (!of_this_policy(s) || tree.contains(s.path)) continue;
    Draw of_setting = draw.at(s.path);
    if (s.required || (is_switch(s) && of_setting.chance(switched))) tree[s.path] = some_value(of_setting, s);
  }
  return tree;
}

}  // namespace servecast::matrix
