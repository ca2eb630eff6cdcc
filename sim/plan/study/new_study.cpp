#include "sim/plan/study/new_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "models/base/error.h"
#include "models/base/escaped.h"
#include "sim/input/library/hardware.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/plan/study/arrival_rates.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t study_seed = 1;      // of the study that is written
constexpr double same_rate = 0.01;           // rates that are closer are taken as one
constexpr std::int64_t step_by_step = 16;    // replicas, up to which every number is tried
constexpr std::int64_t steps_per_size = 16;  // beyond: about 6 % apart

/// A file named in the study, as seen from the study's folder.
std::string seen_from(const std::string& study, const std::string& file) {
  std::error_code error;
  const fs::path folder = fs::absolute(study).parent_path();
  const fs::path relative = fs::relative(fs::absolute(file), folder, error);
  return error || relative.empty() ? fs::absolute(file).string() : relative.string();
}

/// Only its first requests are simulated: these arrive at the rate that is asked for, or at that of the whole trace.
std::string trace_text(const NewStudy& study, const std::string& name) {
  const auto [own_per_s, first_per_s] = rates_of_trace(study.trace, study.requests);
  if (own_per_s <= 0 || first_per_s <= 0)
    throw UserError({study.trace},
                    "has no rate that --rate could be held against: requests do not arrive one after the other");
  const double wanted_per_s = study.rate_per_s.value_or(own_per_s);
  return fmt::format(
      "    # The trace's own rate is {:.4g} requests/s, that of its first {} requests {:.4g}; rate_scale has these "
      "arrive at {:.4g}.\n"
      "    trace: {{path: {}, rate_scale: {:.6g}}}\n",
      own_per_s, study.requests, first_per_s, wanted_per_s, yaml_text(seen_from(name, study.trace)),
      wanted_per_s / first_per_s);
}

/// One run has one seed, whose requests shall arrive at the rate that is asked for; draws have it in the mean.
double poisson_rate_per_s(const NewStudy& study) {
  if (!study.one_run) return *study.rate_per_s;
  return *study.rate_per_s * *study.rate_per_s / poisson_sample_per_s(*study.rate_per_s, study.requests, study_seed);
}

std::string workload_text(const NewStudy& study, const std::string& name) {
  if (!study.trace.empty()) return trace_text(study, name);
  if (!study.rate_per_s) throw UserError("say how much arrives: --rate N requests a second, or --trace FILE");
  return fmt::format(
      "    # Made up: Poisson arrivals{}, lengths around these medians. A trace tells more: trace: {{path: FILE}}\n"
      "    generate:\n"
      "      requests: {}\n"
      "      arrivals: {{poisson: {{requests_per_s: {:.6g}}}}}\n"
      "      prompt_tokens: {{lognormal: {{median: {:.6g}, sigma: 0.8}}, max: {:.6g}}}\n"
      "      output_tokens: {{lognormal: {{median: {:.6g}, sigma: 0.6}}, max: {:.6g}}}\n",
      study.one_run ? fmt::format(" (of seed {} at {:.4g} a second)", study_seed, *study.rate_per_s) : "",
      study.requests, poisson_rate_per_s(study), study.prompt_tokens, 10 * study.prompt_tokens, study.output_tokens,
      8 * study.output_tokens);
}

/// What a study has to know of the scenario that it starts from.
struct Base {
  std::size_t pools = 1;
  std::string node{};  // empty: the cluster is a list of groups
};

Base base_of(const NewStudy& study) {
  if (study.scenario.empty()) return {};
  HardwareFiles files;
  YamlText text = YamlText::load(study.scenario);
  const ScenarioSpec spec = size_scenario(text, files).spec;
  if (spec.pools.empty()) throw UserError({study.scenario}, "has no pools of which there could be more or fewer");
  return {.pools = spec.pools.size(), .node = spec.cluster.groups.empty() ? spec.cluster.node : ""};
}

std::int64_t nodes_for(std::int64_t gpus, std::int64_t gpus_per_node) {
  return (gpus + gpus_per_node - 1) / gpus_per_node;
}

std::string base_text(const NewStudy& study, const std::string& name) {
  if (!study.scenario.empty()) {
    const Base base = base_of(study);
    const bool own_nodes = study.gpus.empty() && !base.node.empty();
    return fmt::format("scenario: {}\nset: [first_requests={}{}]   # more requests: surer tails, longer runs\n",
                       yaml_text(seen_from(name, study.scenario)), study.requests,
                       own_nodes
                           ? fmt::format(", cluster.nodes={}",
                                         nodes_for(study.max_gpus, load_node(base.node, {}, study.scenario).gpus))
                           : "");
  }
  if (study.model.empty()) throw UserError("say what is served: --model NAME (servecast list llms), or a scenario");
  const GpuChoice& first = study.gpus.front();
  return fmt::format(
      "base:   # the scenario; every key: servecast schema\n  seed: {}\n  first_requests: {}   # more: surer tails, "
      "longer runs\n"
      "  workload:\n{}"
      "  cluster: {{node: {}, nodes: {}, rent: whole_nodes}}   # single_gpus: a cloud that rents them one by one\n"
      "  pools:\n    - {{name: serve, llm: {}, weights: {}, gpu: {}}}\n",
      study_seed, study.requests, workload_text(study, name), first.node,
      nodes_for(study.max_gpus, first.gpus_per_node), yaml_text(study.model), study.weights, first.gpu);
}

/// Requests that are simulated stand for all of the scenario's: they arrive at the rate of these.
std::string demand_text(const NewStudy& study) {
  const ArrivalRates rates =
      study.scenario.empty() ? ArrivalRates{} : rates_of_scenario(study.scenario, study.requests);
  const double factor = rates.first_per_s > 0 ? rates.all_per_s / rates.first_per_s : 1;
  const std::string text = "# Forecast over the demand above, and the peak of the day over its mean.\n";
  if (std::abs(factor - 1) < same_rate) return text + "demand: {growth_factor: 1, peak_factor: 1}\n\n";
  return text +
         fmt::format(
             "# The first {} requests arrive at {:.4g} a second, all requests at {:.4g}: this rate is planned for.\n"
             "demand: {{growth_factor: {:.6g}, peak_factor: 1}}\n\n",
             study.requests, rates.first_per_s, rates.all_per_s, factor);
}

std::string objectives_text(const NewStudy& study) {
  std::string text = "# What is promised. Left out: the scenario's slo.\nobjectives:\n";
  if (study.ttft_p99_s)
    text += fmt::format("  - {{metric: ttft_s, percentile: 99, at_most: {:.6g}}}   # time to first token\n",
                        *study.ttft_p99_s);
  if (study.tpot_p99_s)
    text +=
        fmt::format("  - {{metric: tpot_s, percentile: 99, at_most: {:.6g}}}   # time per output token after it\n",
                    *study.tpot_p99_s);
  return study.ttft_p99_s || study.tpot_p99_s ? text : "";
}

std::string replicas_text(std::int64_t largest) {
  std::string text;
  for (std::int64_t n = 1; n <= largest; n += n < step_by_step ? 1 : std::max<std::int64_t>(1, n / steps_per_size))
    text += fmt::format("{}{}", n == 1 ? "" : ", ", n);
  return text;
}

std::string gpu_options_text(const NewStudy& study, std::size_t pools) {
  std::string text = "  - name: gpu   # kinds to compare, each in nodes that carry it\n    options:\n";
  for (const GpuChoice& choice : study.gpus) {
    std::string set = fmt::format("cluster.node={}, cluster.nodes={}", choice.node,
                                  nodes_for(study.max_gpus, choice.gpus_per_node));
    for (std::size_t pool = 0; pool < pools; ++pool) set += fmt::format(", \"pools[{}].gpu={}\"", pool, choice.gpu);
    text += fmt::format("      - {{name: {}, set: [{}]}}\n", choice.name, set);
  }
  return text;
}

std::string space_text(const NewStudy& study) {
  const std::size_t pools = base_of(study).pools;
  std::string text = "# Dimensions of the designs: every combination is a design.\nspace:\n";
  if (!study.gpus.empty()) text += gpu_options_text(study, pools);
  std::string sum;
  for (std::size_t pool = 0; pool < pools; ++pool) {
    const std::string suffix = pools == 1 ? "" : fmt::format("_{}", pool);
    text += fmt::format("  - {{name: replicas{}, path: \"pools[{}].replicas\", values: [{}]}}\n", suffix, pool,
                        replicas_text(study.max_gpus));
    text +=
        fmt::format("  - {{name: tp{}, path: \"pools[{}].tensor_parallel\", values: [1, 2, 4, 8]}}\n", suffix, pool);
    sum += fmt::format("{}replicas{} * tp{}", pool == 0 ? "" : " + ", suffix, suffix);
  }
  return text + fmt::format("constraints: [{} <= {}]   # GPUs of a design\n", sum, study.max_gpus);
}

}  // namespace

std::string new_study_text(const NewStudy& study, const std::string& name) {
  std::string text =
      "# Written by `servecast plan --new`. Change what you know better, and run it again: servecast plan FILE\n"
      "# Every key: servecast schema --of study\n";
  text += "name: the cheapest machines that keep the promise\n" + base_text(study, name) + "\n";
  text += demand_text(study);
  text += objectives_text(study);
  text += study.one_run
              ? "promise: {certainty: best_estimate}   # one run; draws: what the calibration may be off by, too\n"
              : "promise: {certainty: draws}   # in 95 % of draws of what the calibration may be off by\n";
  text +=
      "\n# Left out: what the library says GPUs cost. As here:\n"
      "# prices: {gpus: [{gpu: h100_sxm_80g, on_demand_usd_per_gpu_hour: 2.5, reserved_usd_per_gpu_hour: 1.9}]}\n"
      "# budgets: {usd_per_hour: 100}\n\n";
  return text + space_text(study) + "goal: least_cost\n";
}

}  // namespace servecast
