// Batcher "splitwise_mixed": prompts before decodes, with a bound on how long decodes stand still (the mixed machine
// of Splitwise, Patel et al., ISCA 2024).
//
// While prompts wait, a step computes whole prompts up to the token budget and the decodes pause, keeping their
// memory. After `max_pauses` such steps in a row they are the older work: the next step computes them along.
#include <algorithm>
#include <vector>

#include "models/policy/batcher.h"

namespace servecast {
namespace {

class SplitwiseMixed final : public Batcher {
 public:
  struct Settings {
    std::int64_t max_num_batched_tokens = 2048;
    std::int64_t max_num_seqs = 512;
    std::int64_t max_pauses = 4;
    void fields(Fields& f) {
      f.field("max_num_batched_tokens", max_num_batched_tokens, "most tokens in one step; a longer prompt runs alone",
              at_least_one);
      f.field("max_num_seqs", max_num_seqs, "most sequences that run at a time", at_least_one);
      f.field("max_pauses", max_pauses, "steps in a row for which decodes may stand still");
    }
  };
  explicit SplitwiseMixed(const Settings& settings) : settings_(settings) {}

  std::int64_t max_step_tokens() const override { return settings_.max_num_batched_tokens; }
  std::int64_t max_sequences() const override { return settings_.max_num_seqs; }

  void fill(Batch& batch) override {
    pauses_.resize(static_cast<std::size_t>(batch.lanes()));
    std::int64_t& pauses = pauses_[static_cast<std::size_t>(batch.lane())];
    along_ = pauses >= settings_.max_pauses;
    const std::int64_t decoded = along_ ? batch.decode_all() : 0;
    const bool prompts = batch.preempted() == 0 && admit_prompts(batch, decoded, decoded + batch.draft_tokens());
    if (!along_ && !prompts) batch.decode_all();
    pauses = prompts && !along_ && batch.decoding() > 0 ? pauses + 1 : 0;
  }

  // A request that was not admitted lacked memory or a place: decodes leave no more of these. But budget that decodes
  // took from a prompt is there again in the next step, which tries prompts first.
  bool repeatable(const Batch&) const override { return !along_; }

 private:
  bool admit_prompts(Batch& batch, std::int64_t sequences, std::int64_t tokens) const {
    const std::int64_t most = sequences_per_lane(settings_.max_num_seqs, batch.lanes());
    bool any = false;
    for (; batch.has_waiting() && sequences < most; ++sequences) {
      const std::int64_t prompt = batch.waiting().left_tokens;
      if (batch.running() >= settings_.max_num_seqs) break;
      if (tokens > 0 && tokens + prompt > settings_.max_num_batched_tokens) break;
      if (!batch.admit(prompt)) break;
      tokens += prompt;
      any = true;
    }
    return any;
  }

  Settings settings_;
  std::vector<std::int64_t> pauses_;  // by lane: steps in a row without decodes
  bool along_ = false;                // the batch filled last computes decodes before prompts
};

[[maybe_unused]] const bool added = Registry<Batcher>::add<SplitwiseMixed>(
    "splitwise_mixed", "whole prompts first; decodes pause for at most a few steps");

}  // namespace
}  // namespace servecast
