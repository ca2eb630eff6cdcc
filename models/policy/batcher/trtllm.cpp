// Batcher "trtllm": in-flight batching as in TensorRT-LLM's executor.
//
// All decoding sequences take part in every step; whole prompts join, first come, first served, as long as tokens and
// sequences of a step allow. Without chunked context a prompt longer than the token budget is cut.
//
// Which requests are taken on, the capacity scheduler says (CapacitySchedulerPolicy in
// tensorrt_llm/llmapi/llm_args.py, cpp/tensorrt_llm/batch_manager/capacityScheduler.cpp):
//   max_utilization      all that find blocks; where these run short, the sequence taken on last is paused
//   guaranteed_no_evict  those whose prompt and whole output find blocks beside what all that run have still to make;
//                        TensorRT-LLM's default. The KV cache "paged_reserved" does the same by taking the blocks at
//                        once, and shares nothing
//   static_batch         the same, and none until all that run are done
// Output lengths are known here, which stand for max_tokens.
//
// With `batch_wait_timeout_iters` prompts wait for company beside running decodes, until so many steps have passed or
// they and the decodes fill a share of a step's tokens (_waiting_requests in
// tensorrt_llm/_torch/pyexecutor/py_executor.py). Ranks with requests of their own have another rule
// (attention_dp_config, _balance_adp_requests there;
// https://nvidia.github.io/TensorRT-LLM/blogs/tech_blog/blog10_ADP_Balance_Strategy.html): with
// `attention_dp_enable_balance` prompts wait until each rank has one, and then `attention_dp_batching_wait_iters`
// steps for more; a rank without decodes, or every `attention_dp_timeout_iters` steps, lets go all that wait. These
// steps are counted whether or not a prompt waits. Requests go to the rank with the fewest, so that as many ranks
// have a prompt as prompts wait.
#include <algorithm>
#include <utility>

#include "models/base/counts.h"
#include "models/policy/batcher.h"

namespace servecast {
namespace {

class Trtllm final : public Batcher {
 public:
  struct Settings {
    std::int64_t max_num_tokens = 8192;
    std::int64_t max_batch_size = 2048;
    bool enable_chunked_context = false;
    bool overlap_scheduler = false;
    std::string capacity_scheduler_policy = "max_utilization";
    std::int64_t batch_wait_timeout_iters = 0;
    double batch_wait_max_tokens_ratio = 0;
    bool attention_dp_enable_balance = false;
    std::int64_t attention_dp_timeout_iters = 50;
    std::int64_t attention_dp_batching_wait_iters = 10;
    void fields(Fields& f) {
      f.field("max_num_tokens", max_num_tokens, "most tokens in one step", at_least_one);
      f.field("max_batch_size", max_batch_size, "most sequences that run at a time", at_least_one);
      f.field("enable_chunked_context", enable_chunked_context, "a prompt may be cut to what the step has left");
      f.field(
          "overlap_scheduler", overlap_scheduler,
          "schedule the next step while one runs (the PyTorch flow's default since 0.20; not with pipeline stages)");
      f.field(
          "capacity_scheduler_policy", capacity_scheduler_policy,
          "max_utilization: all that find blocks, the last is paused where these run short; guaranteed_no_evict: "
          "those whose whole output finds blocks, too (TensorRT-LLM's default); static_batch: likewise, none until "
          "all that run are done",
          {"max_utilization", "guaranteed_no_evict", "static_batch"});
      f.field("batch_wait_timeout_iters", batch_wait_timeout_iters,
              "most steps that a prompt waits for others while sequences decode; 0: it does not");
      f.field("batch_wait_max_tokens_ratio", batch_wait_max_tokens_ratio,
              "it no longer waits when prompts and decodes together fill this share of max_num_tokens",
              {.min = 0, .max = 1});
      f.field("attention_dp_enable_balance", attention_dp_enable_balance,
              "with data_parallel: prompts wait until each rank has one, and then start together");
      f.field("attention_dp_timeout_iters", attention_dp_timeout_iters,
              "steps after which they start although a rank has none", at_least_one);
      f.field("attention_dp_batching_wait_iters", attention_dp_batching_wait_iters,
              "steps that they wait for more when each rank has one");
    }
  };
  explicit Trtllm(const Settings& settings) : settings_(settings) {}

  std::int64_t max_step_tokens() const override { return settings_.max_num_tokens; }
  std::int64_t max_sequences() const override { return settings_.max_batch_size; }
  std::int64_t depth() const override { return settings_.overlap_scheduler ? 2 : 1; }

  void fill(Batch& batch) override {
    const bool closed = settings_.capacity_scheduler_policy == "static_batch" && batch.running() > 0;
    const std::int64_t decoded = batch.decode_all();
    std::int64_t budget = settings_.max_num_tokens - decoded;
    budget -= batch.draft_tokens();
    for (std::int64_t i = 0; i < batch.prefilling() && budget > 0; ++i)
      budget -= batch.continue_prefill(i, std::min(batch.prefill(i).left_tokens, budget));
    held_ = held_ && batch.has_waiting();
    if (batch.preempted() > 0 || closed || !batch.has_waiting() || waits(batch, decoded)) return;
    std::int64_t room = settings_.capacity_scheduler_policy == "max_utilization" ? nothing_kept : room_left(batch);
    while (budget > 0 && batch.has_waiting() && batch.running() < settings_.max_batch_size) {
      const std::int64_t wanted = batch.waiting().left_tokens;
      if (!fits(wanted, budget)) return;
      // What it computes now takes blocks at once, and counts with what follows.
      room -= wanted + batch.waiting().left_outputs;
      if (room < 0 && batch.running() > 0) return;
      const auto computed = batch.admit(std::min(wanted, budget), {.whole_prompt = true});
      if (!computed) return;
      budget -= *computed;
    }
  }

  // While the same sequences decode, blocks only get fewer and the budget stays: a waiting request still does not
  // fit. But outputs to come get fewer, too, and faster than blocks where layers free what their windows have passed.
  bool repeatable(const Batch& batch) const override {
    const bool looks_again = settings_.capacity_scheduler_policy == "guaranteed_no_evict" ||
                             settings_.batch_wait_timeout_iters > 0 || settings_.attention_dp_enable_balance;
    return !looks_again || !batch.has_waiting();
  }

 private:
  bool waits(const Batch& batch, std::int64_t decoded) {
    if (batch.ranks() > 1) return settings_.attention_dp_enable_balance && waits_for_ranks(batch, decoded);
    if (settings_.batch_wait_timeout_iters == 0 || decoded == 0) return false;
    const double enough = settings_.batch_wait_max_tokens_ratio * real(settings_.max_num_tokens);
    if (waited_ < settings_.batch_wait_timeout_iters && real(batch.waiting_tokens() + decoded) < enough) {
      ++waited_;
      return true;
    }
    waited_ = 0;
    return false;
  }

  bool waits_for_ranks(const Batch& batch, std::int64_t decoded) {
    const std::int64_t steps = batch.decode_steps();
    const std::int64_t timeout = settings_.attention_dp_timeout_iters;
    if (!std::exchange(held_, true)) counted_from_ += (steps - counted_from_) / timeout * timeout;
    const bool all_decode = decoded >= batch.ranks();
    const bool all_have_prompts = batch.waiting_requests() >= batch.ranks();
    if (all_have_prompts) counted_from_ = steps;
    if (all_decode && all_have_prompts && gathered_ < settings_.attention_dp_batching_wait_iters) {
      ++gathered_;
      return true;
    }
    if (all_decode && !all_have_prompts && steps - counted_from_ < timeout) return true;
    counted_from_ = steps;
    gathered_ = 0;
    return held_ = false;
  }

  static constexpr std::int64_t nothing_kept = std::numeric_limits<std::int64_t>::max();
  /// Tokens that are free when all that run have made their outputs.
  static std::int64_t room_left(const Batch& batch) {
    const std::int64_t free = batch.free_tokens();
    return free == nothing_kept ? free : free - batch.outputs(nothing_kept).to_come - prompts_to_come(batch);
  }
  static std::int64_t prompts_to_come(const Batch& batch) {
    std::int64_t tokens = 0;
    for (std::int64_t i = 0; i < batch.prefilling(); ++i) tokens += batch.prefill(i).left_tokens;
    return tokens;
  }
  /// A prompt longer than any step is cut after all.
  bool fits(std::int64_t tokens, std::int64_t budget) const {
    return settings_.enable_chunked_context || tokens <= budget || budget == settings_.max_num_tokens ||
           tokens > settings_.max_num_tokens;
  }
  Settings settings_;
  std::int64_t waited_ = 0;        // steps, since prompts began to wait
  bool held_ = false;              // prompts wait for other ranks
  std::int64_t counted_from_ = 0;  // the step from which the timeout runs
  std::int64_t gathered_ = 0;      // steps, since each rank has had a prompt
};

[[maybe_unused]] const bool added =
    Registry<Batcher>::add<Trtllm>("trtllm", "in-flight batching: decodes and whole prompts in one step");

}  // namespace
}  // namespace servecast
