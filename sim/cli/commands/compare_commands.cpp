#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "models/base/error.h"
#include "models/base/input_file.h"
#include "models/base/names.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/cli/runs/equal_promise.h"
#include "sim/cli/runs/many_runs.h"
#include "sim/input/yaml/override.h"
#include "sim/plan/compare/differences.h"
#include "sim/plan/compare/replicated.h"
#include "sim/report/fields/json_fields.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t default_replicates = 20;

/// What both commands take.
struct ComparisonArguments {
  std::int64_t replicates = default_replicates;
  std::vector<std::string> figures{};
  std::string format = "text";
  bool equal_promise = false;
  ManyRunsArguments runs{};

  void declare(CLI::App& app) {
    app.add_option("--replicates", replicates, "Seeds and draws of the calibration's error, the same for all (20)")
        ->check(CLI::Range(0, 10000))
        ->type_name("N");
    add_figures(app, figures);
    add_choice(app, "--format", format, "format", {"text", "json"}, "Table on the terminal (text)");
    app.add_flag("--equal-promise", equal_promise,
                 "Resize every scenario first: the fewest replicas that keep its slo at the best estimate");
    runs.declare(app);
  }

  void print(const std::vector<Compared>& compared, Console& console) const {
    const std::vector<FigureColumn> wanted = figure_columns(figures);
    console.out << (format == "json" ? text_of(differences_json(wanted, compared))
                                     : differences_text(wanted, compared));
  }

  /// Simulates the requests, all with the seed of the first: by position, with names as given.
  std::vector<Compared> simulate(std::vector<RunRequest> requests, std::vector<std::string> names,
                                 const Console& console) const {
    if (requests.empty()) return {};
    ManyRuns many(runs, requests.size() * (1 + static_cast<std::size_t>(replicates)), console);
    if (!requests.front().seed) {
      const std::vector<RunResult> first = many.evaluator().evaluate(std::span(requests).first(1));
      refuse(many, first.front().failure, names.front());
      for (RunRequest& request : requests) request.seed = first.front().summary->seed;
    }
    if (equal_promise)
      for (std::size_t i = 0; i < requests.size(); ++i) {
        const Resized size = resized(requests[i], many.evaluator());
        requests[i].set.insert(requests[i].set.end(), size.set.begin(), size.set.end());
        names[i] += " (" + size.words + ")";
      }
    std::vector<Compared> compared;
    for (Replicated& one : evaluate_replicated(many.evaluator(), requests, replicates)) {
      refuse(many, one.failure, names[compared.size()]);
      compared.push_back(
          {.name = names[compared.size()], .best = std::move(*one.best), .draws = std::move(one.draws)});
    }
    many.finish();
    return compared;
  }

 private:
  static void refuse(const ManyRuns& many, const std::string& failure, const std::string& name) {
    if (!failure.empty()) many.refuse(name + " cannot be simulated: " + failure);
  }
};

class WhatifCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    add_scenario(app, "SCENARIO", scenario_, "The scenario, a YAML file; or the name of one in a library")
        ->required();
    app.add_option("--set", set_, "What is changed, e.g. pools[0].replicas=8; several are one change together")
        ->required()
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    comparison_.declare(app);
    app.footer(
        "Examples:\n"
        "  servecast whatif chat.yaml --set pools[0].router.policy=round_robin\n"
        "  servecast whatif chat.yaml --set workload.trace.rate_scale=11.2 --replicates 100\n"
        "  servecast whatif chat.yaml --set pools[0].weights=fp8 --equal-promise");
  }

  int run(Console& console) override {
    parse_overrides(set_);
    try {
      comparison_.print(comparison_.simulate({{.scenario = scenario_}, {.scenario = scenario_, .set = set_}},
                                             {"as it is", "changed"}, console),
                        console);
    } catch (const Stopped&) {
      return cut_short;
    }
    return 0;
  }

 private:
  std::string scenario_;
  std::vector<std::string> set_;
  ComparisonArguments comparison_;
};

/// summary.json of a report; none where the name is that of a scenario.
std::optional<std::string> report_of(const std::string& name) {
  if (is_folder(name)) return (fs::path(name) / "summary.json").string();
  if (name.ends_with(".json")) return name;
  return std::nullopt;
}

class CompareCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("WHAT", names_, "Reports (folders of run --out) and scenarios; all are compared with the first")
        ->required()
        ->expected(2, 100)
        ->type_name("FILE");
    app.add_option("--set", set_, "Replace a setting of the K-th (1 is the first); without K of all scenarios")
        ->type_name("[K:]PATH=VALUE ...")
        ->allow_extra_args(false);
    comparison_.declare(app);
    app.footer(
        "Examples:\n"
        "  servecast compare report-a report-b\n"
        "  servecast compare h100.yaml a100.yaml --replicates 50\n"
        "  servecast compare chat.yaml chat.yaml --set seed=7 --set 2:pools[0].replicas=8");
  }

  int run(Console& console) override {
    const std::vector<std::vector<std::string>> settings = settings_of_each();
    std::vector<RunRequest> requests;
    std::vector<std::string> simulated;
    if (comparison_.equal_promise &&
        std::ranges::any_of(names_, [](const std::string& n) { return report_of(n).has_value(); }))
      throw UserError("--equal-promise resizes scenarios; a report cannot be resized, name its scenario");
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (!report_of(names_[i])) {
        requests.push_back({.scenario = names_[i], .set = settings[i]});
        simulated.push_back(title(names_[i], settings[i]));
      }
    try {
      std::vector<Compared> scenarios = comparison_.simulate(requests, simulated, console);
      comparison_.print(in_order(std::move(scenarios)), console);
    } catch (const Stopped&) {
      return cut_short;
    }
    return 0;
  }

 private:
  static std::string title(const std::string& name, const std::vector<std::string>& settings) {
    return settings.empty() ? name : name + " with " + join(settings);
  }

  /// What --set says, by position in names_. Throws UserError where it speaks of a report or of nothing.
  std::vector<std::vector<std::string>> settings_of_each() const {
    std::vector<std::vector<std::string>> settings(names_.size());
    if (!set_.empty() &&
        std::ranges::all_of(names_, [](const std::string& name) { return report_of(name).has_value(); }))
      throw UserError("--set changes scenarios, and only reports are compared");
    for (const std::string& word : set_) {
      const std::size_t digits = word.find_first_not_of("0123456789");
      const bool one = digits > 0 && digits != std::string::npos && word[digits] == ':';
      const std::string setting = one ? word.substr(digits + 1) : word;
      parse_override(setting);
      const std::size_t which = one ? number(word.substr(0, digits), word) : 0;
      for (std::size_t i = 0; i < names_.size(); ++i)
        if (one ? i + 1 == which : !report_of(names_[i])) settings[i].push_back(setting);
    }
    return settings;
  }

  std::size_t number(const std::string& digits, const std::string& word) const {
    const std::size_t which = digits.size() > 3 ? 0 : std::stoul(digits);
    if (which < 1 || which > names_.size())
      throw UserError("'" + word + "' speaks of none of the " + std::to_string(names_.size()) + " that are compared");
    if (report_of(names_[which - 1]))
      throw UserError("'" + word + "' changes '" + names_[which - 1] +
                      "', which is a report; only a scenario can be changed");
    return which;
  }

  std::vector<Compared> in_order(std::vector<Compared> scenarios) const {
    std::vector<Compared> all;
    std::size_t next = 0;
    for (const std::string& name : names_) {
      if (const auto report = report_of(name))
        all.push_back({.name = name, .best = read_summary(*report), .draws = {}, .interval = read_interval(*report)});
      else
        all.push_back(std::move(scenarios[next++]));
    }
    const bool reports = std::ranges::any_of(all, [](const Compared& c) { return c.draws.empty(); });
    if (reports)  // then pairs are not to be had, and a scenario's interval is what can be set against the report's
      for (Compared& one : all)
        if (!one.draws.empty()) one.interval = interval_of(one.best, one.draws);
    return all;
  }

  std::vector<std::string> names_;
  std::vector<std::string> set_;
  ComparisonArguments comparison_;
};

}  // namespace

std::unique_ptr<Command> make_whatif_command() { return std::make_unique<WhatifCommand>(); }
std::unique_ptr<Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace servecast
