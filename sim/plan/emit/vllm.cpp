// The flags are those of vLLM 0.15, `vllm serve --help`: vllm/config/{cache,model,parallel,scheduler}.py.
#include "sim/plan/emit/vllm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/input/scenario/scenario.h"
#include "sim/plan/emit/unexpressed.h"
#include "sim/report/fields/json_fields.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

ordered_json settings_of(PoolSpec spec) {
  ordered_json json = ordered_json::object();
  JsonWriter writer(json);
  spec.fields(writer);
  return json;
}

/// One pool, setting by setting.
class Translation {
 public:
  Translation(const Scenario& scenario, const Pool& pool)
      : scenario_(scenario), pool_(pool), unexpressed_(settings_of(pool.spec), settings_of(PoolSpec{})) {}

  VllmPool result() {
    identity();
    shape();
    data_types();
    memory();
    batcher();
    cache();
    tiers();
    placement();
    front_end();
    gateway();
    for (const std::string& setting : unexpressed_.left()) remark(setting + ": vLLM has no such setting");
    return std::move(out_);
  }

 private:
  void argument(const std::string& flag, const std::string& value) {
    out_.arguments.push_back(flag);
    out_.arguments.push_back(value);
  }
  void remark(const std::string& text) { out_.remarks.push_back(text); }

  void identity() {
    for (const char* path : {"/name", "/llm", "/gpu", "/group", "/replicas", "/engine", "/tensor_parallel",
                             "/pipeline_parallel", "/sampling", "/start", "/usd_per_gpu_hour"})
      unexpressed_.take(path);
    unexpressed_.take_all("/latency");
    out_.name = pool_.spec.name;
    out_.model = pool_.llm.repository.empty() ? pool_.llm.name : pool_.llm.repository;
    if (pool_.llm.repository.empty())
      remark("llm: " + pool_.llm.name + ": put the folder of its weights in its place");
    out_.replicas = pool_.spec.replicas;
    out_.gpu = pool_.gpu.name;
    if (scenario_.groups.several()) out_.gpu += " of group " + scenario_.group_of(pool_).name;
    const std::string& engine = pool_.spec.engine;
    const bool vllm = engine.starts_with("vllm-");
    out_.image = "vllm/vllm-openai:" + (vllm ? "v" + engine.substr(5) + ".0" : std::string("latest"));
    for (const ChangedFigure& figure : scenario_.changed_hardware)
      remark(fmt::format("{}: the forecast has {}, the file of what can be had {}", figure.path, figure.to,
                         figure.from));
    if (!vllm) remark("engine: " + engine + ": the forecast is another engine's, not vLLM's");
  }

  void shape() {
    out_.gpus = pool_.gpus_per_replica();
    argument("--tensor-parallel-size", std::to_string(pool_.spec.tensor_parallel));
    if (pool_.spec.pipeline_parallel > 1)
      argument("--pipeline-parallel-size", std::to_string(pool_.spec.pipeline_parallel));
    experts();
    const std::int64_t of_node = scenario_.group_of(pool_).node.gpus;
    if (out_.gpus > of_node)
      remark(fmt::format("a replica spans nodes ({} GPUs, {} per node): start vLLM on a Ray cluster of them",
                         out_.gpus, of_node));
    if (const ordered_json watts = unexpressed_.take("/power_cap_w"); !watts.is_null())
      remark("power_cap_w: set it on the node: nvidia-smi --power-limit=" + watts.dump());
  }

  void front_end() {
    unexpressed_.take("/tokenizer_workers");
    unexpressed_.take("/stream_interval");
    if (pool_.spec.tokenizer_workers > 1)
      argument("--api-server-count", std::to_string(pool_.spec.tokenizer_workers));
    if (pool_.spec.tokenizer_workers == 0)
      remark("tokenizer_workers: 0: vLLM tokenises one prompt at a time; send it tokens");
    if (pool_.spec.stream_interval > 1) argument("--stream-interval", std::to_string(pool_.spec.stream_interval));
    if (pool_.spec.stream_interval == 0) remark("stream_interval: 0: ask for answers with stream: false");
  }

  /// vLLM spreads experts over as many GPUs as its tensor- and data-parallel sizes make.
  void experts() {
    unexpressed_.take("/expert_parallel");
    unexpressed_.take("/data_parallel");
    if (pool_.spec.expert_parallel > 1) out_.arguments.push_back("--enable-expert-parallel");
    if (pool_.spec.expert_parallel > 1 && pool_.shape().expert_slices() > 1)
      remark(fmt::format("expert_parallel: {}: vLLM spreads experts over all {} GPUs or none",
                         pool_.spec.expert_parallel, pool_.shape().gpus_per_stage()));
    if (pool_.shape().ranks() > 1) argument("--data-parallel-size", std::to_string(pool_.shape().ranks()));
  }

  void data_types() {
    const std::string weights = unexpressed_.take("/weights");
    const bool fp16 = weights == "fp16";
    argument("--dtype", fp16 ? "float16" : "bfloat16");
    if (weights == "fp8") argument("--quantization", "fp8");
    if (weights != "auto" && weights != "fp8" && weights != "fp16" && weights != "bf16")
      remark("weights: " + weights +
             ": name a checkpoint that is quantised so; vLLM reads the method from its config");
    const std::string kv = unexpressed_.peek("/kv_cache_dtype");
    if (kv == "fp8") argument("--kv-cache-dtype", "fp8");
    if (kv == "fp8" || kv == (fp16 ? "fp16" : "bf16")) unexpressed_.take("/kv_cache_dtype");
    if (kv == "auto" && fp16) remark("kv_cache_dtype: auto: bf16 in the forecast, the weights' float16 in vLLM");
  }

  void memory() {
    const MemorySettings settings = pool_.spec.memory.over(pool_.engine.memory);
    unexpressed_.take("/memory/rule");
    if (settings.rule != "vllm") {
      remark(fmt::format("memory.rule: {}: vLLM takes a share of all memory, with weights and activations in it",
                         settings.rule));
      return;
    }
    unexpressed_.take("/memory/gpu_memory_utilization");
    argument("--gpu-memory-utilization",
             fmt::format("{}", settings.gpu_memory_utilization.value_or(default_utilization)));
  }

  void batcher() {
    constexpr std::array<std::array<const char*, 2>, 6> limits{
        {{"/batcher/max_num_batched_tokens", "--max-num-batched-tokens"},
         {"/batcher/chunk_tokens", "--max-num-batched-tokens"},
         {"/batcher/max_num_tokens", "--max-num-batched-tokens"},
         {"/batcher/max_num_seqs", "--max-num-seqs"},
         {"/batcher/max_batch_size", "--max-num-seqs"},
         {"/batcher/long_prefill_token_threshold", "--long-prefill-token-threshold"}}};
    for (const auto& [path, flag] : limits)
      if (const ordered_json value = unexpressed_.take(path); !value.is_null() && value != 0)
        argument(flag, value.dump());
    if (const ordered_json async = unexpressed_.take("/batcher/async_scheduling"); !async.is_null())
      out_.arguments.emplace_back(async.get<bool>() && pool_.spec.pipeline_parallel == 1 ? "--async-scheduling"
                                                                                         : "--no-async-scheduling");
    const std::string policy = unexpressed_.take("/batcher/policy");
    if (policy != "vllm_v1") remark("batcher.policy: " + policy + ": vLLM batches as vllm_v1 does");
    if (unexpressed_.take_if("/queue/policy", "priority")) argument("--scheduling-policy", "priority");
  }

  void cache() {
    const bool plain = unexpressed_.take_if("/kv_cache/policy", "paged");
    const bool prefix = unexpressed_.take_if("/kv_cache/policy", "paged_prefix");
    out_.arguments.emplace_back(prefix ? "--enable-prefix-caching" : "--no-enable-prefix-caching");
    if (prefix) unexpressed_.take_if("/kv_cache/eviction/policy", "lru");
    if (!plain && !prefix) return;
    argument("--block-size", unexpressed_.take("/kv_cache/block_tokens").dump());
    if (const ordered_json blocks = unexpressed_.take("/kv_cache/num_gpu_blocks_override"); !blocks.is_null())
      argument("--num-gpu-blocks-override", blocks.dump());
  }

  /// vLLM's own offloading has one level, in host memory, written as blocks are computed, least recently used out
  /// first.
  void tiers() {
    if (!unexpressed_.take_if("/kv_tiers/levels/0/kind", "host")) return;
    unexpressed_.take_if("/kv_tiers/levels/0/write", "through");
    unexpressed_.take_if("/kv_tiers/levels/0/eviction/policy", "lru");
    constexpr double gib = 1024.0 * 1024 * 1024;
    argument("--kv-offloading-backend", "native");
    argument("--kv-offloading-size",
             fmt::format("{:.4g}", unexpressed_.take("/kv_tiers/levels/0/capacity_bytes").get<double>() / gib));
  }

  void placement() {
    const std::string mine = connector(pool_.spec, "kv_producer");
    if (!mine.empty()) {
      unexpressed_.take("/placement/policy");
      unexpressed_.take_if("/placement/transfer", "pull");
      const std::string decode = unexpressed_.take("/placement/decode_pool");
      remark("placement: a proxy must send each request to this pool first and then to pool " + decode);
      hand_over(mine);
    }
    for (const Pool& other : scenario_.pools)
      if (settings_of(other.spec)["placement"].value("decode_pool", std::string()) == pool_.spec.name)
        hand_over(connector(other.spec, "kv_consumer"));
  }

  void hand_over(const std::string& config) {
    if (config.empty() || out_.hands_over_kv) return;
    argument("--kv-transfer-config", config);
    out_.hands_over_kv = true;
  }

  /// NIXL: the decoding side fetches. Mooncake's connector knows which side it is on.
  static std::string connector(const PoolSpec& spec, const std::string& role) {
    const std::string& policy = spec.placement.policy();
    if (policy == "disaggregated" || policy == "splitwise")
      return R"({"kv_connector":"NixlConnector","kv_role":"kv_both"})";
    if (policy == "mooncake") return R"({"kv_connector":"MooncakeConnector","kv_role":")" + role + R"("})";
    return "";
  }

  /// What stands before the replicas is not vLLM's.
  void gateway() {
    const std::string policy = unexpressed_.take("/router/policy");
    if (pool_.spec.replicas > 1)
      remark("router.policy: " + policy + ": the gateway before the replicas must do this; a Service does not");
  }

  const Scenario& scenario_;
  const Pool& pool_;
  Unexpressed unexpressed_;
  VllmPool out_{};
};

}  // namespace

std::vector<VllmPool> vllm_pools(const Scenario& scenario) {
  std::vector<VllmPool> pools;
  for (const Pool& pool : scenario.pools) pools.push_back(Translation(scenario, pool).result());
  return pools;
}

}  // namespace servecast
