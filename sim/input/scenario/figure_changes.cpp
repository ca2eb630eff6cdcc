#include "sim/input/scenario/figure_changes.h"

#include <fmt/format.h>

namespace servecast {

std::string figure_text(const FigureValue& figure) {
  if (const double* number = std::get_if<double>(&figure)) return fmt::format("{:.9g}", *number);
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, figure);
}

template <class T>
void OfferedFigures::offer(const About& about) {
  const std::string path = path_of(about);
  const auto known = changes_.find(path);
  std::optional<T> given;
  if (known != changes_.end()) given = std::get<T>(known->second);
  fields_.visit({.key = about.key, .help = about.help, .range = about.range}, given);
  if (given) changes_[path] = *given;
}

void OfferedFigures::choose(const About& about, std::string&) {
  const std::string path = path_of(about);
  const auto known = changes_.find(path);
  std::string given = known == changes_.end() ? "" : std::get<std::string>(known->second);
  fields_.visit({.key = about.key, .help = about.help, .choices = about.choices}, given);
  if (!given.empty()) changes_[path] = given;
}

void OfferedFigures::enter(const About& about) {
  FigureWalk::enter(about);
  fields_.enter(about);
}

void OfferedFigures::leave() {
  FigureWalk::leave();
  fields_.leave();
}

template <class T>
void AppliedFigures::apply(const About& about, T& value) {
  const auto change = changes_.find(path_of(about));
  if (change == changes_.end() || std::get<T>(change->second) == value) return;
  changed_.push_back({.path = change->first, .from = figure_text(value), .to = figure_text(change->second)});
  value = std::get<T>(change->second);
}

// Called from other files.
template void OfferedFigures::offer<double>(const About&);
template void OfferedFigures::offer<std::int64_t>(const About&);
template void AppliedFigures::apply<double>(const About&, double&);
template void AppliedFigures::apply<std::int64_t>(const About&, std::int64_t&);
template void AppliedFigures::apply<std::string>(const About&, std::string&);

}  // namespace servecast
