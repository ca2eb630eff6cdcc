#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/base/error.h"
#include "models/base/escaped.h"
#include "sim/cli/commands/check_lengths.h"
#include "sim/cli/output/added_files.h"
#include "sim/cli/output/settings_text.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/cli/program/problem_json.h"
#include "sim/cli/runs/plan_study.h"
#include "sim/input/files/files_read.h"
#include "sim/input/files/unsaved_text.h"
#include "sim/input/plugins/plugin.h"
#include "sim/plan/report/plan_report.h"
#include "sim/plan/runs/run_key.h"
#include "sim/plan/study/study.h"
#include "sim/report/fields/json_fields.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const Pool& pool) {
  return {{"name", pool.spec.name},
          {"llm", pool.llm.name},
          {"gpu", pool.gpu.name},
          {"replicas", pool.spec.replicas},
          {"gpus", pool.gpus()},
          {"weight_bytes", pool.memory.weight_bytes},
          {"activation_bytes", pool.memory.activation_bytes},
          {"reserve_bytes", pool.memory.reserve_bytes},
          {"kv_pool_bytes", pool.memory.kv_pool_bytes},
          {"kv_pool_tokens", pool.memory.kv_pool_tokens}};
}

/// Looking for a file that is not there is noted, too.
ordered_json there_are(const std::vector<std::string>& files) {
  ordered_json json = ordered_json::array();
  for (const std::string& file : files)
    if (std::filesystem::exists(YamlText::file_of(file))) json.push_back(file);
  return json;
}

std::string shape_text(const Pool& pool) {
  const std::string text =
      fmt::format("tensor {} x pipeline {}", pool.spec.tensor_parallel, pool.spec.pipeline_parallel);
  if (pool.spec.expert_parallel == 1 && pool.shape().ranks() == 1) return text;
  return fmt::format("{}, experts over {} in {} ranks", text, pool.spec.expert_parallel, pool.shape().ranks());
}

std::string pool_text(const Pool& pool) {
  const MemoryPlan& memory = pool.memory;
  const std::string what =
      fmt::format("pool {}: {} in {}, {} x ({}) = {} x {}", pool.spec.name, pool.llm.name,
                  weights_name(pool.weights()), pool.spec.replicas, shape_text(pool), pool.gpus(), pool.gpu.name);
  return "\n" + visible(what) + "\n" +
         fmt::format("  each GPU: {} weights, {} activations, {} reserved, {} KV cache\n",
                     human::bytes(memory.weight_bytes), human::bytes(memory.activation_bytes),
                     human::bytes(memory.reserve_bytes), human::bytes(memory.kv_pool_bytes)) +
         fmt::format("  each replica: {} tokens of KV cache\n", human::count(memory.kv_pool_tokens)) +
         fmt::format("  step times: {}\n", visible(pool.latency_source));
}

/// A line for each group of nodes; of several, with their names.
std::string cluster_text(const Scenario& scenario) {
  std::string text;
  for (std::size_t i = 0; i < scenario.groups.size(); ++i) {
    const NodeGroup& group = scenario.groups[i];
    std::int64_t used = 0;
    for (const Pool& pool : scenario.pools) used += pool.group == i ? pool.gpus() : 0;
    text += fmt::format("{:<10}{}{} x {}, {} of {} GPUs used\n", i == 0 ? "cluster" : "",
                        scenario.groups.several() ? visible(group.name) + ": " : "", group.nodes,
                        visible(group.node.name), used, group.node.gpus * group.nodes);
  }
  return text;
}

std::string scenario_text(const std::string& file, const ScenarioArguments& arguments) {
  const FilesRead read;
  Scenario scenario = arguments.load();
  std::string text = fmt::format("{}: no mistakes\n\n", visible(file));
  text += fmt::format("workload  {}\n", visible(scenario.workload_text));
  text += cluster_text(scenario);
  for (const ChangedFigure& figure : scenario.changed_hardware)
    text += fmt::format("changed   {}: {}, where the file says {}\n", visible(figure.path), visible(figure.to),
                        visible(figure.from));
  FileDigests digests;
  for (const AddedFile& added : added_files(read.files(), digests))
    text += visible(fmt::format("added     {} comes from {}", added.brings, added.file)) + "\n";
  for (const Pool& pool : scenario.pools) text += pool_text(pool);
  for (const std::string& warning : prompts_too_long(scenario)) text += "\nwarning: " + warning + "\n";
  return text;
}

/// A study is checked by sizing each of its designs: a setting that does not exist is found there. Throws UserError
/// as `plan` does where bounds alone leave no design that could keep the promise.
PlanReport checked_study(const std::string& file) {
  PlanReport report = size_up_study(file);
  const bool open = std::ranges::find(report.designs, "undecided", &PlanDesign::verdict) != report.designs.end();
  if (open) return report;
  if (const auto proven = report_by_bounds(file)) refuse_without_answer(*proven);
  return report;
}

std::string study_text(const std::string& file) {
  const PlanReport report = checked_study(file);
  std::string text = fmt::format("{}: no mistakes\n\n", visible(file));
  text += fmt::format("goal      {}\n", report.goal);
  text += "demand    ";
  if (report.requests_per_s) text += human::number(*report.requests_per_s) + " requests/s, ";
  text += fmt::format("{:.3g} times the base scenario's rate\n", report.rate_factor);
  text += "designs   " + report.certificate.text + "\n";
  return text;
}

class CheckCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    scenario_.declare(app, true);
    scenario_.declare_text(app);
    add_choice(app, "--format", format_, "format", {"text", "json"}, "How to write it (text)");
    app.footer("Examples:\n  servecast check chat.yaml\n  servecast check chat.yaml --format json");
  }

  int run(Console& console) override {
    const auto unsaved = scenario_.unsaved();
    if (format_ == "json") return run_json(console);
    console.out << (study() ? study_text(scenario_.file) : scenario_text(scenario_.file, scenario_));
    return 0;
  }

 private:
  bool study() const {
    if (!is_study(scenario_.file)) return false;
    if (!scenario_.set.empty()) throw UserError("--set goes with a scenario; a study has its own 'set'");
    return true;
  }

  /// Problems are what this is asked for, so they go to stdout like any other answer.
  int run_json(Console& console) const {
    ordered_json json{{"ok", true},
                      {"problems", ordered_json::array()},
                      {"pools", ordered_json::array()},
                      {"warnings", ordered_json::array()}};
    try {
      if (study())
        json["designs"] = checked_study(scenario_.file).designs.size();
      else
        describe(json);
    } catch (const UserError& error) {
      json["ok"] = false;
      for (const Problem& problem : error.problems()) json["problems"].push_back(problem_json(problem));
    }
    console.out << text_of(json);
    return json["ok"] ? 0 : 2;
  }

  void describe(ordered_json& json) const {
    const FilesRead read;
    Scenario scenario = scenario_.load();
    for (const Pool& pool : scenario.pools) {
      json["pools"].push_back(to_json(pool));
      if (scenario.groups.several()) json["pools"].back()["group"] = scenario.group_of(pool).name;
    }
    json["warnings"] = prompts_too_long(scenario);
    json["files"] = there_are(read.files());
    if (!scenario.spec.plugins.empty()) json["plugins"] = ordered_json::array();
    for (const std::string& name : scenario.spec.plugins)
      json["plugins"].push_back(load_plugin(name, {}, scenario_.file).file);
    json["settings"] = ordered_json::parse(settings_text(scenario.spec));
  }

  ScenarioArguments scenario_;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_check_command() { return std::make_unique<CheckCommand>(); }

}  // namespace servecast
