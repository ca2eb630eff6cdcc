#include "calibrate/servers/fit_engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "calibrate/servers/comparison.h"
#include "calibrate/servers/fit_errors.h"
#include "calibrate/servers/forecasts.h"
#include "models/base/error.h"
#include "models/base/escaped.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

constexpr int newton_rounds = 4;     // of Gauss-Newton; the terms are nearly linear in the figures
constexpr double prior_share = 0.5;  // standard deviation of a term about where it starts, as a share of it
constexpr double tpot_noise = 0.03;  // what kernel times leave unexplained of a mean, as a share of it
constexpr double ttft_noise = 0.05;
constexpr double p99_noise = 0.2;  // rests on few requests
constexpr double robust_from = 3;  // standard deviations; beyond, a figure pulls no harder
constexpr double probe = 0.02;     // of a term, for its derivative

using Term = double& (*)(EngineProfile&);
constexpr std::array<Term, 8> terms{[](EngineProfile& e) -> double& { return e.request_path_s; },
                                    [](EngineProfile& e) -> double& { return e.frontend_sequence_s; },
                                    [](EngineProfile& e) -> double& { return e.step.all_reduce_wait_s; },
                                    [](EngineProfile& e) -> double& { return e.step.sampler_s_per_logit; },
                                    [](EngineProfile& e) -> double& { return e.step.host_step_s; },
                                    [](EngineProfile& e) -> double& { return e.step.host_sequence_s; },
                                    [](EngineProfile& e) -> double& { return e.step.eager_operation_s; },
                                    [](EngineProfile& e) -> double& { return e.step.expert_compute_factor; }};

/// `start` with each term multiplied by exp(x): terms stay above zero.
EngineProfile moved(EngineProfile engine, const Eigen::VectorXd& x) {
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i](engine) *= std::exp(x[static_cast<Eigen::Index>(i)]);
  return engine;
}

/// Those that terms can be fitted on: what overloaded stages measured is as long as their clients wait.
std::vector<MeasuredServer> with_fitted_stages(std::span<const MeasuredServer> all) {
  std::vector<MeasuredServer> servers;
  std::ranges::copy_if(all, std::back_inserter(servers), [](const MeasuredServer& server) {
    return std::ranges::any_of(server.stages, [](const MeasuredStage& stage) { return !stage.saturated; });
  });
  return servers;
}

double noise(ServerFigure figure) {
  if (figure == ServerFigure::ttft_p99) return p99_noise;
  return figure == ServerFigure::ttft_mean || figure == ServerFigure::ttft_p50 ? ttft_noise : tpot_noise;
}

/// Of first tokens the median stays where it was measured: single stalls make a mean longer, and are no term's. P99
/// has prompts that no cache held, whose steps are launched outside CUDA graphs. E2E follows from the others.
void keep_figures_of_terms(std::vector<ComparedFigure>& figures) {
  std::set<std::pair<std::string, std::string>> with_median;
  for (const ComparedFigure& f : figures)
    if (f.figure == ServerFigure::ttft_p50) with_median.insert({f.server, f.stage});
  std::erase_if(figures, [&](const ComparedFigure& f) {
    if (f.figure == ServerFigure::ttft_mean && with_median.contains({f.server, f.stage})) return true;
    return f.saturated || f.figure == ServerFigure::e2e_mean;
  });
}

std::vector<ComparedFigure> fitted_figures(const EngineProfile& engine, std::span<const MeasuredServer> servers,
                                           ForecastOptions how) {
  const ScratchFolder scratch;
  how.engine = scratch / "fitted.yaml";
  write_text(how.engine, engine_yaml(engine));
  std::vector<ComparedFigure> figures = compare(servers, forecast(servers, how));
  keep_figures_of_terms(figures);
  for (const ComparedFigure& f : figures)
    if (!f.forecast)
      throw UserError("'" + f.server + "', class '" + f.stage +
                      "': no request of it gets so far in a forecast, so nothing can be fitted on it");
  return figures;
}

/// In standard deviations.
Eigen::VectorXd residuals(std::span<const ComparedFigure> figures) {
  Eigen::VectorXd r(static_cast<Eigen::Index>(figures.size()));
  for (std::size_t i = 0; i < figures.size(); ++i)
    r[static_cast<Eigen::Index>(i)] = std::log(*figures[i].forecast / figures[i].measured) / noise(figures[i].figure);
  return r;
}

/// One step of iteratively reweighted least squares with the prior.
Eigen::VectorXd step(const Eigen::VectorXd& x, const Eigen::VectorXd& r, const Eigen::MatrixXd& jacobian) {
  Eigen::VectorXd weights(r.size());
  for (Eigen::Index i = 0; i < r.size(); ++i) weights[i] = std::min(1.0, robust_from / std::abs(r[i]));
  const double prior = 1 / (prior_share * prior_share);
  Eigen::MatrixXd normal = jacobian.transpose() * weights.asDiagonal() * jacobian;
  normal += prior * Eigen::MatrixXd::Identity(normal.rows(), normal.cols());
  const Eigen::VectorXd gradient = jacobian.transpose() * weights.asDiagonal() * r + prior * x;
  return -normal.ldlt().solve(gradient);
}

}  // namespace

EngineProfile with_round_terms(EngineProfile engine) {
  const std::array<std::pair<double*, double>, 5> round{{{&engine.request_path_s, 4e-3},
                                                         {&engine.frontend_sequence_s, 40e-6},
                                                         {&engine.step.all_reduce_wait_s, 2e-6},
                                                         {&engine.step.sampler_s_per_logit, 0.1e-9},
                                                         {&engine.step.eager_operation_s, 80e-6}}};
  for (const auto& [term, value] : round)
    if (*term > 0) *term = value;
  return engine;
}

EngineFit fit_engine(const EngineProfile& start, std::span<const MeasuredServer> all, const ForecastOptions& how) {
  const std::vector<MeasuredServer> servers = with_fitted_stages(all);
  constexpr auto count = static_cast<Eigen::Index>(terms.size());
  Eigen::VectorXd x = Eigen::VectorXd::Zero(count);
  EngineFit fit{.engine = start};
  std::vector<ComparedFigure> figures = fitted_figures(start, servers, how);
  fit.figures = static_cast<std::int64_t>(figures.size());
  fit.median_error_before = summarise_errors(figures).median;
  Eigen::MatrixXd jacobian(static_cast<Eigen::Index>(figures.size()), count);
  for (int round = 0; round < newton_rounds; ++round) {
    const Eigen::VectorXd r = residuals(figures);
    for (Eigen::Index i = 0; i < count; ++i) {
      if (round > 0 && (jacobian.col(i).array() == 0).all()) continue;  // time that is hidden stays so
      Eigen::VectorXd aside = x;
      aside[i] += probe;
      jacobian.col(i) = (residuals(fitted_figures(moved(start, aside), servers, how)) - r) / probe;
    }
    x += step(x, r, jacobian);
    fit.engine = moved(start, x);
    figures = fitted_figures(fit.engine, servers, how);
  }
  fit.median_error_after = summarise_errors(figures).median;
  return fit;
}

namespace {

std::string start_yaml(const EngineStart& start) {
  std::string loading;
  if (start.checkpoint_bytes_per_s)
    loading = fmt::format("  checkpoint_bytes_per_s: {:.6g}\n", *start.checkpoint_bytes_per_s);
  return fmt::format(
      "start:\n  imports_s: {:.6g}\n{}  init_s: {:.6g}\n  layer_init_s: {:.6g}\n  expert_layer_init_s: {:.6g}\n  "
      "source: {}\n",
      start.imports_s, loading, start.init_s, start.layer_init_s, start.expert_layer_init_s, yaml_text(start.source));
}

std::string first_use_yaml(std::span<const FirstUse> uses) {
  std::string text = uses.empty() ? "" : "first_use:\n";
  for (const FirstUse& use : uses)
    text += fmt::format(
        "  - step: {}\n    gpus: [{}]\n    attention: {}\n    load_s: {:.6g}\n    compile_s: {:.6g}\n    source: "
        "{}\n",
        use.step, fmt::join(use.gpus, ", "), use.attention, use.load_s, use.compile_s, yaml_text(use.source));
  return text;
}

}  // namespace

std::string engine_yaml(const EngineProfile& e) {
  std::string fitted_on = e.fitted_on.empty() ? "" : "fitted_on:\n";
  for (const FittedSystem& f : e.fitted_on)
    fitted_on += fmt::format("  - {{gpu: {}, llm: {}{}{}, covers: {}}}\n", f.gpu, f.llm,
                             f.weights.empty() ? "" : ", weights: ", f.weights, yaml_text(f.covers));
  std::string pcie_wait;
  if (e.step.pcie_all_reduce_wait_s)
    pcie_wait = fmt::format("  pcie_all_reduce_wait_s: {:.6g}\n", *e.step.pcie_all_reduce_wait_s);
  std::string memory;
  if (e.memory.gpu_memory_utilization)
    memory += fmt::format("  gpu_memory_utilization: {:.6g}\n", *e.memory.gpu_memory_utilization);
  if (e.memory.reserve_bytes) memory += fmt::format("  reserve_bytes: {:.6g}\n", *e.memory.reserve_bytes);
  if (e.memory.overhead_bytes) memory += fmt::format("  overhead_bytes: {:.6g}\n", *e.memory.overhead_bytes);
  return fmt::format(
      R"(title: {}
basis: {}
source: {}
{}kernels: {}
request_path_s: {:.6g}
request_token_s: {:.6g}
frontend_sequence_s: {:.6g}
scheduling_depth: {}
step:
  all_reduce_wait_s: {:.6g}
{}  sampler_s_per_logit: {:.6g}
  small_kernel_s: {:.6g}
  small_kernels_per_layer: {}
  host_step_s: {:.6g}
  host_sequence_s: {:.6g}
  host_overlapped: {}
  cuda_graph_max_tokens: {}
  prompts_in_graphs: {}
  eager_operation_s: {:.6g}
  biased_choice_operations: {}
  triton_mxfp4: {}
  dependent_launches: {}
  dependent_launch_s: {:.6g}
  norm_in_all_reduce_s: {:.6g}
  norm_in_all_reduce_models: {}
  input_scales: {}
  attention_in_one_call: {}
  shared_experts_beside_tokens: {}
  expert_compute_factor: {:.6g}
  generated_expert_compute_factor: {:.6g}
memory:
  rule: {}
  windowed_layers: {}
{}{}{}{})",
      yaml_text(e.title), e.basis, yaml_text(e.source), fitted_on, yaml_text(e.kernels), e.request_path_s,
      e.request_token_s, e.frontend_sequence_s, e.scheduling_depth, e.step.all_reduce_wait_s, pcie_wait,
      e.step.sampler_s_per_logit, e.step.small_kernel_s, e.step.small_kernels_per_layer, e.step.host_step_s,
      e.step.host_sequence_s, e.step.host_overlapped, e.step.cuda_graph_max_tokens, e.step.prompts_in_graphs,
      e.step.eager_operation_s, e.step.biased_choice_operations, e.step.triton_mxfp4, e.step.dependent_launches,
      e.step.dependent_launch_s, e.step.norm_in_all_reduce_s, e.step.norm_in_all_reduce_models, e.step.input_scales,
      e.step.attention_in_one_call, e.step.shared_experts_beside_tokens, e.step.expert_compute_factor,
      e.step.generated_expert_compute_factor, e.memory.rule, e.memory.windowed_layers, memory, start_yaml(e.start),
      first_use_yaml(e.first_use), errors_yaml(e.errors));
}

}  // namespace servecast
