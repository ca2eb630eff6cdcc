#include "sim/input/resolve/pool_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/counts.h"
#include "models/hw/power_cost/power.h"
#include "models/hw/profile/kernel_times.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/resolve/step_additions.h"

namespace servecast {
namespace {

const Gpu& file_of(const Pool& pool, const PoolHardware& with) {
  return with.files.gpu(pool.spec.gpu, with.where, with.file);
}

/// Kernels of an engine on the pool's own GPU, as the scenario or the engine's file names them.
std::string own_profile(const Pool& pool) {
  const std::string& asked = pool.spec.latency.profile;
  return asked.empty() ? pool.gpu.name + "." + pool.engine.kernels : asked;
}

/// The GPU was not measured, so kernels of the one it is like stand in, scaled, for those of its own.
bool is_scaled(const Pool& pool, const KernelProfile& profile) {
  return profile.gpu == pool.gpu.kernels_like && own_profile(pool).starts_with(pool.gpu.name + ".");
}

/// As it was measured; null where the roofline is to be used.
const KernelProfile* known_profile(const Pool& pool, const PoolHardware& with) {
  const LatencySpec& spec = pool.spec.latency;
  if (spec.model == "roofline") return nullptr;
  const bool asked = spec.model == "profile" || !spec.profile.empty();
  const std::string own = own_profile(pool);
  std::string like = own;
  if (pool.gpu.derived() && own.starts_with(pool.gpu.name + "."))
    like.replace(0, pool.gpu.name.size(), pool.gpu.kernels_like);
  const std::string& name = with.files.has_profile(own) || !with.files.has_profile(like) ? own : like;
  if (!asked && !with.files.has_profile(name)) return nullptr;
  const KernelProfile& profile = with.files.profile(name, with.where, with.file);
  const auto missing = missing_attention(profile, pool.llm);
  if (missing && asked) throw UserError(with.where, *missing);
  return missing ? nullptr : &profile;
}

/// For the same engine's kernels as those of `use`.
void add_collectives(ProfileUse& use, const Pool& pool, const PoolHardware& with) {
  const std::string& like = pool.gpu.collectives_like;
  if (like.empty()) return;
  use.collectives = &with.files.profile(like + own_profile(pool).substr(pool.gpu.name.size()), with.where, "");
  use.collectives_from = &with.files.gpu(like, with.where, "");
}

void add_changed_note(Pool& pool, const std::string& what, const PoolHardware& with) {
  if (rates_changed(pool, with))
    pool.notes.push_back(fmt::format("{} is not as its file says: {} scaled to the changed figures: {}",
                                     pool.gpu.name, what, scaling_rule));
  if (file_of(pool, with).scaled_from_measured())
    pool.notes.push_back(fmt::format("{}'s file says other figures than 'kernels_measured_at': {} scaled to them: {}",
                                     pool.gpu.name, what, scaling_rule));
}

void add_weights_note(Pool& pool) {
  if (pool.spec.weights == "auto" && pool.llm.published.own != WeightTypes())
    pool.notes.push_back(fmt::format("weights: {}, {} is published as {}", weights_name(pool.weights()),
                                     pool.llm.name, weights_name(pool.llm.published.own)));
  if (pool.spec.weights == "nvfp4" && pool.llm.published.nvfp4 != DataType::nvfp4)
    pool.notes.push_back(fmt::format("weights: {}, NVIDIA's checkpoint of {} in NVFP4 has {}",
                                     weights_name(pool.weights()), pool.llm.name,
                                     weights_name(pool.llm.published.nvfp4)));
}

void add_clock_note(Pool& pool) {
  const double clock = clock_fraction(pool.gpu.power, pool.power_cap_w());
  if (clock < 1)
    pool.notes.push_back(
        fmt::format("under load, a limit of {:.4g} W holds {:.2f} of the clock at which kernels were timed",
                    pool.power_cap_w(), clock));
}

}  // namespace

std::string no_exchange(const Pool& pool) {
  return fmt::format(
      "there are no measurements of how {} sends tokens to experts (ep_dispatch, ep_combine); GPUs with a profile "
      "of an H100 or H200 can, or kernels: all_gather, or one rank: tensor_parallel {}",
      pool.gpu.title, pool.shape().gpus_per_stage());
}

ExchangeKernels exchange_kernels(const ExpertExchangeSpec& spec) {
  if (spec.kernels == "all_gather") return ExchangeKernels::all_gather;
  if (spec.kernels == "nvlink") return ExchangeKernels::nvlink;
  return spec.kernels == "low_latency" ? ExchangeKernels::low_latency : ExchangeKernels::high_throughput;
}

std::optional<std::string> exchange_problem(const Pool& pool, const KernelProfile& profile, std::int64_t node_gpus) {
  const std::string& kernels = pool.spec.expert_exchange.kernels;
  const bool nvlink = kernels == "nvlink";
  if (kernels == "all_gather") return std::nullopt;
  if (pool.shape().expert_slices() > 1)
    return fmt::format(
        "{} kernels send tokens to whole experts; here {} GPUs slice each: take kernels: "
        "all_gather, or expert_parallel {}",
        nvlink ? "TensorRT-LLM's" : "DeepEP's", pool.shape().expert_slices(), pool.shape().gpus_per_stage());
  if (nvlink && pool.shape().gpus_per_stage() > node_gpus)
    return fmt::format(
        "nvlink stays within one NVLink domain; here {} GPUs exchange tokens, and a node has {}: take "
        "kernels: all_gather",
        pool.shape().gpus_per_stage(), node_gpus);
  if (nvlink && !exchanges_experts(profile, nvlink))
    return fmt::format(
        "there are no measurements of TensorRT-LLM's exchange over NVLink on {}; those of a B200 or GB200 "
        "are bundled: take kernels: all_gather",
        pool.gpu.title);
  if (!nvlink && !exchanges_experts(profile)) return no_exchange(pool);
  return std::nullopt;
}

bool rates_changed(const Pool& pool, const PoolHardware& with) { return !same_rates(file_of(pool, with), pool.gpu); }

std::optional<ProfileUse> profile_use(const Pool& pool, const PoolHardware& with) {
  const KernelProfile* known = known_profile(pool, with);
  if (known == nullptr) return std::nullopt;
  ProfileUse use{.measured = *known,
                 .draw = static_cast<std::uint64_t>(with.scenario.calibration_draw),
                 .spread = with.scenario.calibration_spread};
  if (is_scaled(pool, *known)) {
    use.from = &with.files.gpu(pool.gpu.kernels_like, with.where, "");
    add_collectives(use, pool, with);
  } else if (known->gpu == pool.gpu.name && file_of(pool, with).scaled_from_measured()) {
    use.from = &with.files.gpu(known->gpu, with.where, "");
  } else if (rates_changed(pool, with)) {
    use.from = &file_of(pool, with);
  }
  if (use.from != nullptr) use.to = &with.files.gpu(pool.spec.gpu, with.where, with.file, with.scenario.hardware);
  return use;
}

std::optional<std::string> weights_problem(const Gpu& gpu, const Llm& llm, const WeightTypes& weights,
                                           const KernelProfile* profile) {
  std::vector<DataType> also;
  for (const DataTypeFacts& type : data_types)
    if (profile != nullptr && has_products(*profile, type.type)) also.push_back(type.type);
  for (const DataType type : {weights.attention, weights.output})
    if (auto problem = cannot_compute(gpu, type, also)) return problem;
  const bool mlp = llm.intermediate > 0 || (llm.experts && llm.experts->shared_intermediate > 0);
  if (mlp)
    if (auto problem = cannot_compute(gpu, weights.mlp, also)) return problem;
  if (!llm.experts || peak_flop_per_s(gpu, weights.experts) > 0) return std::nullopt;
  return fmt::format("{} has no unit for experts in {}", gpu.title, facts(weights.experts).name);
}

std::optional<std::string> moe_backend_problem(const Pool& pool, const KernelProfile* profile) {
  const std::string& backend = pool.spec.latency.moe_backend;
  const DataType experts = pool.weights().experts;
  if (backend == "auto" || (profile != nullptr && has_backend(*profile, experts, backend))) return std::nullopt;
  if (profile == nullptr) return "without a kernel profile experts have one kernel: leave it out";
  return fmt::format(
      "kernel profile {} does not tell experts of {} in {} from others: leave it out; with kernels of trtllm, nvfp4 "
      "on B200 and GB200 has cutlass",
      profile->name, backend, facts(experts).name);
}

void take_settings(Pool& pool) {
  if (pool.spec.sampling != "auto") pool.llm.sampling = pool.spec.sampling;
  const LatencySpec& latency = pool.spec.latency;
  // Where it is not told, vLLM captures no more than twice its sequences (VllmConfig._set_cudagraph_sizes).
  std::int64_t& graph_tokens = pool.engine.step.cuda_graph_max_tokens;
  const std::int64_t rows = divided_up(max_rows(pool.spec), pool.shape().ranks());
  graph_tokens = latency.cuda_graph_max_tokens.value_or(std::min(graph_tokens, 2 * rows));
  if (latency.dependent_launches != "auto") pool.engine.step.dependent_launches = latency.dependent_launches == "on";
}

std::optional<std::string> dependent_launches_problem(const Pool& pool, const KernelProfile* profile) {
  if (pool.spec.latency.dependent_launches == "auto") return std::nullopt;
  if (profile == nullptr) return "without a kernel profile launches have no time of their own: leave it out";
  if (pool.engine.step.dependent_launch_s > 0) return std::nullopt;
  return fmt::format("what engine {} saves by them was not measured: leave it out; trtllm-1.0 and trtllm-1.2 say it",
                     pool.engine.name);
}

std::optional<std::string> pageable_problem(const Pool& pool) {
  if (!pool.spec.expert_offload || pool.spec.expert_offload->page_locked || pool.transfers.h2d_pageable)
    return std::nullopt;
  return fmt::format("no copies from pageable memory to {} were measured; leave it out, and give copy_rate_fraction",
                     pool.gpu.title);
}

void add_profile_notes(Pool& pool, const KernelProfile& profile, const PoolHardware& with) {
  const std::string& collectives = pool.gpu.collectives_like;
  if (is_scaled(pool, profile))
    pool.notes.push_back(fmt::format("{} was not measured: profile {} scaled to its data sheet{}", pool.gpu.name,
                                     profile.name, collectives.empty() ? "" : ", collectives as on " + collectives));
  else if (profile.gpu != pool.gpu.name)
    pool.notes.push_back(fmt::format("profile {} was measured on {}", profile.name, profile.gpu));
  add_changed_note(pool, "kernel profile " + profile.name, with);
}

void add_notes(Pool& pool) {
  add_weights_note(pool);
  add_clock_note(pool);
}

void add_roofline_notes(Pool& pool, const PoolHardware& with) {
  if (pool.gpu.derived()) pool.notes.push_back(pool.gpu.name + " was not measured: constants are derived");
  add_changed_note(pool, "the roofline's constants", with);
}

bool check_table_rates(YamlText& text, const std::string& path, const Pool& pool, const PoolHardware& with) {
  if (pool.spec.latency.moe_backend != "auto")
    text.fail(path + ".latency.moe_backend", "lookup tables tell no kernels apart: leave it out");
  if (pool.spec.latency.dependent_launches != "auto")
    text.fail(path + ".latency.dependent_launches", "lookup tables have launches within them: leave it out");
  const Gpu& file = file_of(pool, with);
  if (file.hbm_bytes_per_s == pool.gpu.hbm_bytes_per_s && file.peaks == pool.gpu.peaks) return true;
  text.fail(
      path + ".latency.model",
      fmt::format("the lookup tables are of '{0}' as it is: what gpus.{0} changes would be ignored; use profile "
                  "or roofline",
                  pool.gpu.name));
  return false;
}

}  // namespace servecast
