#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace servecast {

/// What a rank of a prefill worker takes into a step, and whether each of its GPUs has a slice of all experts
/// whatever a row says.
struct PrefillStep {
  std::int64_t prompts = 0;
  std::int64_t tokens = 0;
  bool sliced_experts = false;
};

/// What a rank of a decode worker runs: sequences of a step, the share of free memory that is KV's, drafts for each
/// sequence (multi-token prediction).
struct DecodeStep {
  std::int64_t sequences = 0;
  double memory = 0.9;
  std::int64_t drafts = 0;
};

/// A deployment with TensorRT-LLM, as far as recipes tell deployments apart.
struct RecipeWorkers {
  std::string llm{};
  std::string dynamo{};  // its version, where the row names it
  std::string gpu{};
  std::string weights{};
  std::int64_t prompt_tokens = 0;
  std::int64_t prefill_workers = 0;
  std::int64_t decode_workers = 0;
  std::int64_t decode_gpus = 0;  // of one
  bool own_requests = false;     // each rank of a decode worker has its own
  bool drafts = false;
};

/// Of Dynamo's recipes, where it has one for the model: InferenceMAX's nvidia-master.yaml (gpt-oss-120b, Dynamo 0.5);
/// components/backends/trtllm/performance_sweeps/configs of later ones, and srt-slurm's for DeepSeek-R1 in fp8
/// (recipes/trtllm/b200-fp8 and h100-fp8). AIConfigurator's rows of B200 with prompts of 8,192 tokens say once
/// moe_ep 1 and once 8 of the same deployment, within 2 % in TTFT; its recipes have moe_expert_parallel_size 1.
std::optional<PrefillStep> recipe_prefill_step(const RecipeWorkers& deployment);

/// Of InferenceMAX's nvidia-master.yaml, GB200 with Dynamo and TensorRT-LLM (January 2026). Throws NoMatch where it
/// has no such deployment.
DecodeStep recipe_decode_step(const RecipeWorkers& deployment);

/// Steps of a piece of a streamed answer, in TensorRT-LLM's recipes (stream_interval).
inline constexpr std::int64_t dynamo_stream_interval = 20;
/// Dynamo's front end tokenises each request on its own thread of the runtime's (ai-dynamo/dynamo pull request
/// 11200).
inline constexpr const char* dynamo_tokenizers = "    tokenizer_workers: 0\n";

/// Tokens that a sequence makes in a step, by the mean time between pieces of a streamed answer and per output token:
/// the last piece, half a one in the mean, comes when an answer ends.
double tokens_per_step(double itl_s, double tpot_s, double output_tokens);

/// The same where a row tells neither: of DeepSeek-R1 in InferenceMAX's own prompts and answers of 1,024 tokens, in
/// the mean of its rows on GB200 that tell. Throws NoMatch of other numbers of drafts and of longer answers, whose
/// tokens are easier to guess.
double tokens_per_step_elsewhere(std::int64_t drafts, std::int64_t prompt_tokens, std::int64_t output_tokens);

/// The chance of each of so many drafts with which a step makes so many tokens in the mean: a of
/// 1 + a + ... + a^drafts = tokens.
double acceptance_of(double tokens, std::int64_t drafts);

}  // namespace servecast
