#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace servecast {

struct Override;
struct Study;

/// One point of the space.
struct Design {
  std::int64_t index = 0;                           // in the order of the space, the last dimension fastest
  std::vector<std::optional<std::size_t>> chosen{};  // value by dimension; nothing where a dimension is not in use
  double rate_factor = 1;                           // of the demand; other than 1 only for goal most_goodput

  bool operator==(const Design&) const = default;
};

/// Points before constraints; dimensions with a condition count as always in use.
double space_size(const Study& study);

/// Every design that keeps the constraints, in order. A constraint that reads a dimension which a design does without
/// says nothing about it. Throws UserError where none is left, and says which constraints are at odds.
std::vector<Design> enumerate(const Study& study);

/// The design with these values, as far as they are in use; nothing where a constraint forbids it.
std::optional<Design> design_of(const Study& study, const std::vector<std::size_t>& values, double rate_factor);

/// "gpu=h100_sxm_80g replicas=4".
std::string words(const Study& study, const Design& design);

/// Settings of the scenario that every design has.
std::vector<Override> settings_of_all(const Study& study);

/// Its settings of the scenario, those of the study as a whole first.
std::vector<Override> settings(const Study& study, const Design& design);

/// Whether a dimension sets this of the study, prices.term, and not of the scenario.
bool is_of_study(const Override& change);

/// The term that its machines are paid under.
std::string term_of(const Study& study, const Design& design);

/// The value of a dimension as the answer shows it; empty where it is not in use.
std::string value_name(const Study& study, const Design& design, std::size_t dimension);

}  // namespace servecast
