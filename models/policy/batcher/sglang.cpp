// Batcher "sglang": prompts first, as in SGLang's scheduler (python/sglang/srt/managers/scheduler.py,
// get_next_batch_to_run; schedule_policy.py, PrefillAdder; schedule_batch.py, retract_decode; version 0.5).
//
// A step computes prompts as long as there are any that fit, and decodes only when there are none: running sequences
// stall while prompts are computed. A step takes up to `chunked_prefill_size` prompt tokens; a prompt that is longer
// goes on in the next step, before any other. A request is admitted when its prompt and its output, counted with at
// most `clip_max_new_tokens`, find room beside what the running ones are expected to make:
//   prompt + min(output, clip) + page < free - new_token_ratio x sum of min(output left, clip)
// `new_token_ratio` begins at 0.7 x schedule_conservativeness and falls to 0.14 of that in 600 decode steps. Where a
// decode finds no room, the sequences with the fewest outputs are retracted (back to the front of the queue; what the
// radix cache still has of them need not be computed again), and the ratio becomes
//   min(1, (outputs made + 20 x sequences) / (outputs asked for + 1)).
// With `enable_mixed_chunk` decodes join the steps of prompts. With overlap scheduling a step is scheduled while the
// one before runs.
//
// New requests are taken in before a step, or with `scheduler_recv_interval` only before the first, the step behind
// one of prompts, and after so many steps of decodes (scheduler_recv_skipper.py): they then wait for longer, but
// stall the decodes together.
//
// Left out: which of the requests that wait came after the last look, where one of before still waits for room; order
// by longest prefix ("lpm"; the default is first come, first served), the delay of prompts for others with the same
// prefix, SGLang's own limit of running requests where `max_running_requests` is not given (2,048 to 4,096). Outputs
// are known and stand for max_new_tokens. A request that could never pass the test runs alone.
#include <algorithm>
#include <optional>
#include <string>

#include "models/base/counts.h"
#include "models/policy/batcher.h"

namespace servecast {
namespace {

class Sglang final : public Batcher {
 public:
  struct Settings {
    std::int64_t chunked_prefill_size = 8192;
    std::int64_t max_prefill_tokens = 16384;
    std::int64_t max_running_requests = 2048;
    double schedule_conservativeness = 1;
    std::int64_t clip_max_new_tokens = 4096;
    bool enable_mixed_chunk = false;
    bool overlap_schedule = true;
    std::int64_t scheduler_recv_interval = 1;
    void fields(Fields& f) {
      f.field(
          "chunked_prefill_size", chunked_prefill_size,
          "most prompt tokens of one step; a longer prompt is cut (SGLang: 8192 on GPUs of 60 to 160 GB, 4096 below, "
          "16384 above)",
          at_least_one);
      f.field("max_prefill_tokens", max_prefill_tokens,
              "prompt tokens of one step from which on no further prompt joins", at_least_one);
      f.field("max_running_requests", max_running_requests, "most sequences that run at a time", at_least_one);
      f.field("schedule_conservativeness", schedule_conservativeness,
              "how much of the outputs to come is kept free: more retracts less often");
      f.field("clip_max_new_tokens", clip_max_new_tokens, "most output tokens of a request that are kept free",
              at_least_one);
      f.field("enable_mixed_chunk", enable_mixed_chunk, "decodes join the steps of prompts");
      f.field("overlap_schedule", overlap_schedule,
              "schedule the next step while one runs; not with pipeline stages");
      f.field("scheduler_recv_interval", scheduler_recv_interval,
              "steps of decodes from one look for new requests to the next", at_least_one);
    }
  };
  explicit Sglang(const Settings& settings)
      : settings_(settings),
        first_ratio_(std::min(1.0, init_ratio * settings.schedule_conservativeness)),
        least_ratio_(first_ratio_ * least_factor),
        ratio_(first_ratio_) {}

  // Decodes join a mixed step beside its prompts.
  std::int64_t max_step_tokens() const override {
    return std::max(settings_.chunked_prefill_size, settings_.max_running_requests);
  }
  std::int64_t max_sequences() const override { return settings_.max_running_requests; }
  std::int64_t depth() const override { return settings_.overlap_schedule ? 2 : 1; }

  void fill(Batch& batch) override {
    look(batch);
    std::int64_t decoded = 0;
    if (settings_.enable_mixed_chunk) decoded = decode(batch);
    after_prompts_ = add_prompts(batch, decoded);
    if (!after_prompts_ && !settings_.enable_mixed_chunk) decode(batch);
  }

  // The ratio falls with every step, so a request that waits for room may find some.
  bool repeatable(const Batch& batch) const override { return !batch.has_waiting(); }

 private:
  static constexpr double init_ratio = 0.7;
  static constexpr double least_factor = 0.14;
  static constexpr double decay_steps = 600;
  static constexpr std::int64_t retract_steps = 20;

  std::int64_t decode(Batch& batch) {
    fall(batch);
    const std::int64_t before = batch.preempted();
    const std::int64_t decoded = batch.decode_all({.fewest_outputs = true});
    if (batch.preempted() == before) return decoded + batch.draft_tokens();
    const OutputSums outputs = batch.outputs(settings_.clip_max_new_tokens);
    ratio_ = std::min(1.0, real(outputs.made + retract_steps * outputs.sequences) / real(outputs.asked + 1));
    return decoded + batch.draft_tokens();
  }

  /// By the decode steps since it was looked at last.
  void fall(const Batch& batch) {
    const std::int64_t steps = batch.decode_steps();
    const double a_step = (first_ratio_ - least_ratio_) / decay_steps;
    if (steps > steps_seen_) ratio_ = std::max(ratio_ - a_step * real(steps - steps_seen_), least_ratio_);
    steps_seen_ = steps;
  }

  /// New requests are looked for before this step; between two looks, those that the last one left may be admitted.
  void look(const Batch& batch) {
    const std::int64_t steps = batch.decode_steps();
    if (after_prompts_ || batch.running() == 0) looked_at_step_ = steps;
    looks_ = (steps - looked_at_step_) % settings_.scheduler_recv_interval == 0;
  }
  bool is_known(RequestId waiting) const { return looks_ || left_waiting_ == waiting; }

  /// What is left of a step's and of the memory's tokens.
  struct Room {
    std::int64_t chunk = 0;
    std::int64_t input = 0;
  };

  bool add_prompts(Batch& batch, std::int64_t decoded) {
    Room room{.chunk = settings_.chunked_prefill_size - decoded, .input = settings_.max_prefill_tokens - decoded};
    std::int64_t computed = 0;
    for (std::int64_t i = 0; i < batch.prefilling() && room.chunk > 0; ++i) {
      const std::int64_t before = batch.prefilling();
      const std::int64_t tokens = batch.continue_prefill(i, std::min(batch.prefill(i).left_tokens, room.chunk));
      if (batch.prefilling() < before) --i;  // it was itself preempted
      computed += tokens;
      room.chunk -= tokens;
      room.input -= tokens;
    }
    if (batch.preempted() > 0 || !batch.has_waiting() || !is_known(batch.waiting().id)) return computed > 0;
    const bool any = admit_prompts(batch, room, computed) > 0;
    left_waiting_.reset();
    if (batch.has_waiting()) left_waiting_ = batch.waiting().id;
    return any;
  }

  std::int64_t admit_prompts(Batch& batch, Room room, std::int64_t computed) {
    const std::int64_t clip = settings_.clip_max_new_tokens;
    fall(batch);
    double kept = ratio_ * real(batch.outputs(clip).to_come);
    while (room.chunk > 0 && room.input > 0 && batch.has_waiting() &&
           batch.running() < settings_.max_running_requests) {
      const PrefillView next = batch.waiting();
      const std::int64_t tokens = next.left_tokens - batch.waiting_cached();
      const std::int64_t outputs = std::min(next.left_outputs, clip);
      const bool fits = real(tokens + outputs + 1) < real(batch.free_tokens()) - kept;
      if (!fits && batch.running() > 0) break;
      if (tokens >= room.input && computed > 0) break;
      const auto done = batch.admit(std::min(tokens, room.chunk));
      if (!done) break;
      computed += *done;
      room.chunk -= *done;
      room.input -= *done;
      kept += real(outputs);
    }
    return computed;
  }

  Settings settings_;
  double first_ratio_;
  double least_ratio_;
  double ratio_;
  std::int64_t steps_seen_ = 0;
  std::int64_t looked_at_step_ = 0;
  bool looks_ = true;
  bool after_prompts_ = false;
  std::optional<RequestId> left_waiting_{};  // at the head when requests were looked for last
};

[[maybe_unused]] const bool added = Registry<Batcher>::add<Sglang>(
    "sglang", "prompts first, in chunks; room is kept for a share of the outputs to come");

}  // namespace
}  // namespace servecast
