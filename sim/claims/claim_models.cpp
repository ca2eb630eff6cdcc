#include "sim/claims/claim_models.h"

#include "models/base/error.h"
#include "models/hw/profile/profile_latency.h"
#include "models/hw/roofline/bound.h"

namespace servecast {
namespace {

const Place bundled{.file = "claims", .line = 0, .column = 0};  // names in this folder, not in a user's file
constexpr const char* engine_name = "vllm-0.15";
constexpr std::int64_t longest_step_tokens = 8192;

}  // namespace

const Llm& ClaimModels::llm(const std::string& name) { return files_.llm(name, bundled, ""); }
const Gpu& ClaimModels::gpu(const std::string& name) { return files_.gpu(name, bundled, ""); }
const Node& ClaimModels::node(const std::string& name) { return files_.node(name, bundled, ""); }
const Fabric& ClaimModels::fabric(const std::string& name) { return files_.fabric(name, bundled, ""); }
const EngineProfile& ClaimModels::engine() { return files_.engine(engine_name, bundled, ""); }

const StepLatency& ClaimModels::latency(const Served& served) {
  std::unique_ptr<StepLatency>& known = latencies_[served];
  if (known) return *known;
  known = make_profile_latency({.gpu = gpu(served.gpu),
                                .llm = llm(served.llm),
                                .weights = served.weights,
                                .shape = {.tensor_parallel = served.tensor_parallel},
                                .max_step_tokens = longest_step_tokens,
                                .terms = engine().step},
                               files_.profile(served.gpu + "." + engine().kernels, bundled, ""));
  return *known;
}

double ClaimModels::prefill_s(const Served& served, std::int64_t prompt_tokens) {
  const StepLatency& model = latency(served);
  StepWork work{.emitted_tokens = 1};
  work.add_chunk(prompt_tokens, 0, model.chunk_s(prompt_tokens, 0));
  return model.stage(work, 0).seconds;
}

double ClaimModels::decode_s(const Served& served, std::int64_t sequences, std::int64_t context_tokens) {
  const StepWork work{
      .decode_sequences = sequences, .decode_kv_tokens = sequences * context_tokens, .emitted_tokens = sequences};
  return latency(served).stage(work, 0).seconds;
}

double ClaimModels::request_s(const Served& served, std::int64_t prompt_tokens, std::int64_t output_tokens) {
  double seconds = prefill_s(served, prompt_tokens);
  for (std::int64_t i = 1; i < output_tokens; ++i) seconds += decode_s(served, 1, prompt_tokens + i);
  return seconds;
}

std::int64_t ClaimModels::kv_tokens(const Served& served) {
  const MemoryUse use{.weights = served.weights};
  return plan_memory(gpu(served.gpu), llm(served.llm), {.tensor_parallel = served.tensor_parallel}, engine().memory,
                     use)
      .kv_pool_tokens;
}

double ClaimModels::prompt_flop(const std::string& name, std::int64_t tokens) {
  const BoundModel model = bound_model(llm(name), DataType::bf16, DataType::bf16);
  return least_work(model, {.computed_tokens = tokens, .output_tokens = 1}, 1).prompt_flop;
}

}  // namespace servecast
