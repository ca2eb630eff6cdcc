#include "sim/input/resolve/step_additions.h"

#include <fmt/format.h>

#include <filesystem>

#include "models/hw/additions/drafted_latency.h"
#include "models/hw/additions/eager_launch.h"
#include "models/hw/additions/layered_latency.h"
#include "models/hw/additions/lora.h"
#include "models/hw/parallel/ranks.h"
#include "sim/input/library/drafter.h"
#include "sim/input/resolve/pool_profile.h"
#include "sim/input/scenario/host_link.h"
#include "sim/input/scenario/pool_shape.h"
#include "sim/input/yaml/try_at.h"

namespace servecast {
namespace {

double adapter_bytes_per_gpu(const Pool& pool) {
  const LoraSpec& lora = *pool.spec.lora;
  return lora_parameters(pool.llm, lora.rank, lora.modules == "all") * facts(DataType::bf16).bytes /
         static_cast<double>(pool.gpus_per_replica());
}

LayerPart layer_part(const Pool& pool, const Gpu& device, const LayerRange& range, const LatencyOf& latency_of) {
  const Shape shape = pool.shape();
  const Llm layers = pool.llm.only(range.first, range.last);
  const Llm one = layers.only(0, shape.pipeline_parallel);
  return {.all = latency_of(layers, device, shape), .one = latency_of(one, device, shape), .range = range};
}

/// It is on the last stage. Layers like the model's own have their experts spread like these; of a model of its own,
/// each rank has a copy that drafts for the rank's requests.
Shape drafter_shape(const Pool& pool) {
  if (!pool.spec.speculation()->drafter().llm.empty()) return {.tensor_parallel = pool.spec.tensor_parallel};
  Shape shape = pool.shape();
  shape.pipeline_parallel = 1;
  return shape;
}

/// Reads settings of one pool.
class Additions {
 public:
  Additions(YamlText& text, const std::string& path, HardwareFiles& files, const HardwareChanges& changes)
      : text_(text), path_(path), files_(files), changes_(changes) {}

  bool load(Pool& pool) { return check_early_exit(pool) && load_host(pool) && load_drafter(pool); }

 private:
  bool fail(const std::string& key, const std::string& message) {
    text_.fail(path_ + key, message);
    return false;
  }

  bool check_early_exit(const Pool& pool) {
    const auto policy = pool.spec.early_exit.make();
    if (const auto problem = policy->problem(pool.llm)) return fail(".early_exit", *problem);
    if (!policy->self_drafting() || pool.spec.speculative.policy() == "none") return true;
    return fail(".speculative", fmt::format("'{}' would be ignored: early exit '{}' drafts by itself",
                                            pool.spec.speculative.policy(), pool.spec.early_exit.policy()));
  }

  bool load_host(Pool& pool) {
    const HostLayersSpec& host = pool.spec.host_layers;
    if (host.layers == 0) return true;
    if (host.layers >= pool.llm.layers || pool.gpus_per_replica() > 1)
      return fail(".host_layers", fmt::format("{} layers on the host leave some of the {} of {} to one GPU, without "
                                              "tensor or pipeline parallelism",
                                              host.layers, pool.llm.layers, pool.llm.name));
    const std::string key = path_ + ".host_layers.device";
    const auto look_up = [&] { pool.host = files_.gpu(host.device, text_.place(key), text_.file, changes_); };
    if (!try_at(text_, key, look_up)) return false;
    const auto problem = weights_problem(pool.host, pool.llm, pool.weights(), nullptr);
    return !problem || fail(".host_layers.device", *problem);
  }

  /// And what is known of its drafts.
  bool load_drafter(Pool& pool) {
    const auto policy = pool.spec.speculation();
    if (policy->max_drafts() == 0) return true;
    if (const auto problem = policy->problem()) return fail(".speculative", *problem);
    const std::string key = path_ + ".speculative";
    const std::string& trace = policy->acceptance().trace;
    return try_at(text_, key, [&] {
      pool.drafter = drafter_llm(policy->drafter(), pool.llm, text_.place(key), text_.file);
      if (trace.empty()) return;
      const auto folder = std::filesystem::path(text_.file).parent_path();
      pool.acceptance_trace = load_acceptance_trace((folder / trace).string());
    });
  }

  YamlText& text_;
  const std::string& path_;
  HardwareFiles& files_;
  const HardwareChanges& changes_;
};

}  // namespace

bool load_additions(YamlText& text, const std::string& path, HardwareFiles& files, const HardwareChanges& changes,
                    Pool& pool) {
  return Additions(text, path, files, changes).load(pool);
}

std::int64_t max_rows(const PoolSpec& spec) {
  return spec.batcher.make()->max_sequences() * (1 + spec.speculation()->max_rows());
}

MemoryBeside memory_beside(const Pool& pool, const MemoryUse& use) {
  MemoryBeside beside;
  if (pool.drafter)
    beside = drafter_memory(pool.spec.speculation()->drafter(), *pool.drafter, use, drafter_shape(pool));
  if (pool.spec.lora) beside.weight_bytes += adapter_bytes_per_gpu(pool) * static_cast<double>(pool.spec.lora->slots);
  return beside;
}

bool in_parts(const Pool& pool) {
  return pool.spec.host_layers.layers > 0 || pool.spec.early_exit.make()->exits(pool.llm).has_value();
}

std::unique_ptr<StepLatency> latency_in_parts(const Pool& pool, const LatencyOf& latency_of) {
  const LayerSplit layers = split_layers(pool.llm.layers, pool.spec.host_layers);
  std::vector<LayerPart> parts;
  parts.push_back(layer_part(pool, pool.gpu, layers.gpu, latency_of));
  if (layers.host.size() > 0)
    parts.insert(layers.host.first == 0 ? parts.begin() : parts.end(),
                 layer_part(pool, pool.host, layers.host, latency_of));
  for (const LayerPart& part : parts)
    if (!part.all || !part.one) return nullptr;
  return make_layered(std::move(parts), pool.spec.early_exit.make()->terms(pool.llm), pool.engine.step);
}

void add_eager_launch(Pool& pool) {
  const EngineTerms& terms = pool.engine.step;
  const bool by_triton =
      terms.triton_mxfp4 && pool.weights().experts == DataType::mxfp4 && pool.gpu.peaks.fp4_flop_per_s == 0;
  if (terms.eager_operation_s > 0)
    pool.latency = with_eager_launch(std::move(pool.latency),
                                     {.llm = pool.llm,
                                      .operation_s = terms.eager_operation_s,
                                      .graph_tokens = terms.cuda_graph_max_tokens * pool.shape().ranks(),
                                      .prompts_in_graphs = terms.prompts_in_graphs,
                                      .triton_experts = by_triton,
                                      .biased_choice_operations = terms.biased_choice_operations});
}

// Drafts are made on the last stage, with kernels and engine like the model's own; the host has done its part of a
// step with the model's.
void add_drafting(Pool& pool, const LatencyOf& latency_of) {
  const auto policy = pool.spec.speculation();
  if (policy->max_drafts() == 0) return;
  DraftCost cost{.host_sequence_s = policy->drafter().host_sequence_s,
                 .candidates = policy->candidates(),
                 .first_layers = policy->drafter().first_layers > 0};
  if (pool.drafter) {
    const Shape shape = drafter_shape(pool);
    cost.model = latency_of(*pool.drafter, pool.gpu, shape);
    if (!cost.model) return;
    if (shape.ranks() < pool.shape().ranks()) cost.model = on_each_rank(std::move(cost.model), pool.shape().ranks());
  }
  pool.latency = make_drafted(std::move(pool.latency), std::move(cost));
}

// Slots hold whole adapters; a GPU of a group or a stage holds its share of each.
void add_adapters(Pool& pool, const Node& node) {
  if (!pool.spec.lora) return;
  const LoraSpec& lora = *pool.spec.lora;
  const double bytes = adapter_bytes_per_gpu(pool);
  pool.adapters = {
      .slots = lora.slots,
      .gpu_bytes = bytes,
      .load_s = pool.transfers.h2d.start_s +
                bytes / host_to_gpu_bytes_per_s(pool.places.front().gpus, pool.transfers.h2d.bytes_per_s, node)};
  const double products = static_cast<double>(pool.llm.layers * lora_products(pool.llm, lora.modules == "all"));
  pool.latency = make_with_adapters(
      std::move(pool.latency),
      {.adapter_s = bytes / pool.gpu.hbm_bytes_per_s * static_cast<double>(pool.spec.pipeline_parallel),
       .launches_s = 2 * products * pool.engine.step.small_kernel_s});
}

}  // namespace servecast
