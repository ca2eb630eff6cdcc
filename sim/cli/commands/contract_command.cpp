#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "models/base/error.h"
#include "models/base/escaped.h"
#include "models/base/names.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/contract/contract.h"
#include "sim/input/plugins/plugin.h"
#include "sim/input/resolve/load_scenario.h"

namespace servecast {
namespace {

constexpr int broken_promise = 2;

/// "router 'nearest'", as messages and plug-ins call a policy.
std::string policy_name(const ContractCheck& check, const std::string& name) {
  return fmt::format("{} '{}'", check.kind, name);
}

class ContractCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("NAME", names_, "Policies by name; left out: those of the plug-ins, without these all");
    app.add_option("--set", set_, "A setting that every policy must be given, e.g. requests_per_s=20")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    app.footer("Examples:\n  servecast contract --plugin build/libmy_policies.so\n  servecast contract least_loaded");
  }

  int run(Console& console) override {
    for (const Override& setting : parse_overrides(set_)) settings_[setting.path] = setting.value;
    std::int64_t checks = 0;
    std::int64_t broken = 0;
    std::string policy;
    for (const ContractCheck& check : contract_checks())
      for (const std::string& name : check.policies()) {
        if (!wanted(check, name)) continue;
        const Findings found = checked(check, {.name = name, .settings = settings_});
        ++checks;
        broken += found.broken().empty() ? 0 : 1;
        console.out << fmt::format("{:<6}  {}: {}\n", found.broken().empty() ? "kept" : "BROKEN",
                                   visible(policy_name(check, name)), check.name);
        for (const std::string& promise : found.broken()) console.out << "          " << visible(promise) << "\n";
      }
    if (checks == 0) throw UserError(nothing_wanted());
    console.out << fmt::format("{} checks, {} of them broken\n", checks, broken);
    return broken == 0 ? 0 : broken_promise;
  }

 private:
  bool wanted(const ContractCheck& check, const std::string& name) const {
    if (!names_.empty()) return std::ranges::find(names_, name) != names_.end();
    return plugins_for_all().empty() || !plugin_of(std::string(check.kind), name).empty();
  }

  std::string nothing_wanted() const {
    std::vector<std::string> known;
    for (const ContractCheck& check : contract_checks())
      for (const std::string& name : check.policies()) known.push_back(name);
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return unknown_name("policy", names_.empty() ? "" : names_.front(), known);
  }

  std::vector<std::string> names_;
  std::vector<std::string> set_;
  std::map<std::string, std::string> settings_{};
};

}  // namespace

std::unique_ptr<Command> make_contract_command() { return std::make_unique<ContractCommand>(); }

}  // namespace servecast
