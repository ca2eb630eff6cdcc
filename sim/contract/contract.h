#pragma once
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/registry.h"
#include "sim/contract/set_by_key.h"

namespace servecast {

/// A registered policy with settings by key: those that it must be given, at least.
struct Subject {
  std::string name{};
  std::map<std::string, std::string> settings{};

  template <class Interface>
  std::unique_ptr<Interface> make() const {
    return made_policy<Interface>(name, settings);
  }
};

/// Which promises a policy broke.
class Findings {
 public:
  /// True where it was kept. Each promise counts once, however often it is broken.
  bool expect(bool kept, std::string_view promise) {
    if (!kept && seen_.emplace(promise).second) broken_.emplace_back(promise);
    return kept;
  }
  const std::vector<std::string>& broken() const { return broken_; }

 private:
  std::set<std::string, std::less<>> seen_{};
  std::vector<std::string> broken_{};
};

/// One thing that every policy of a kind keeps.
struct ContractCheck {
  std::string_view kind;  // as in messages: "router"
  std::string_view name;  // "PicksAReplicaThatItWasShown"
  std::vector<std::string> (*policies)();
  void (*run)(const Subject& subject, Findings& found);
};

/// All contracts, kind by kind.
std::span<const ContractCheck> contract_checks();

/// Runs one; an exception is a finding, too.
Findings checked(const ContractCheck& check, const Subject& subject);

}  // namespace servecast
