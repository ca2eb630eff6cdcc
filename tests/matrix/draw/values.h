#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace servecast::matrix {

/// Settings of one policy, of which one is drawn.
struct Values {
  std::string_view policy;            // "kind.name"
  double often = 1;                   // share of the scenarios with this policy that give them at all
  std::vector<const char*> settings;  // as JSON; "$1", "$2": pools or API tiers
};

/// The rows of this policy, which are drawn one by one and go together.
std::vector<Values> values_of(const std::string& kind, const std::string& policy);

}  // namespace servecast::matrix
