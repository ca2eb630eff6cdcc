// Batcher "sarathi": stall-free chunked prefill (Sarathi-Serve, Agrawal et al., OSDI 2024).
//
// Every step decodes all sequences, then fills its token budget with prompts already begun, then with new ones, cut
// into chunks. Running sequences never stall for a prompt. Blocks of a prompt are taken as a whole when it is
// admitted; before its turn each decoding sequence wants a free block, needed or not, as in the vLLM that it was
// built on.
#include <algorithm>

#include "models/policy/batcher.h"

namespace servecast {
namespace {

class Sarathi final : public Batcher {
 public:
  struct Settings {
    std::int64_t chunk_tokens = 512;
    std::int64_t max_num_seqs = 128;
    bool cut_prompts = false;
    void fields(Fields& f) {
      f.field("chunk_tokens", chunk_tokens, "token budget of one step", at_least_one);
      f.field("max_num_seqs", max_num_seqs, "most sequences that run at a time", at_least_one);
      f.field(
          "cut_prompts", cut_prompts,
          "a prompt preempted part-way restarts with what was computed of it, the rest is made token by token; what "
          "the Vidur simulator does");
    }
  };
  explicit Sarathi(const Settings& settings) : settings_(settings) {}

  std::int64_t max_step_tokens() const override { return settings_.chunk_tokens; }
  std::int64_t max_sequences() const override { return settings_.max_num_seqs; }

  void fill(Batch& batch) override {
    std::int64_t sequences = batch.decode_all({.spare_block = true, .cut_prompts = settings_.cut_prompts});
    std::int64_t budget = settings_.chunk_tokens - sequences - batch.draft_tokens();
    for (std::int64_t i = 0; i < batch.prefilling() && budget > 0; ++i) {
      budget -= batch.continue_prefill(i, std::min(batch.prefill(i).left_tokens, budget));
      ++sequences;
    }
    const std::int64_t most = sequences_per_lane(settings_.max_num_seqs, batch.lanes());
    while (budget > 0 && batch.has_waiting() && batch.running() < settings_.max_num_seqs && sequences < most) {
      const auto computed =
          batch.admit(std::min(batch.waiting().left_tokens, budget), {.whole_prompt = true, .arrival_order = true});
      if (!computed) return;
      budget -= *computed;
      ++sequences;
    }
  }

  // Blocks only get fewer while the same sequences decode, so a request that could not be admitted still cannot.
  bool repeatable(const Batch&) const override { return true; }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added = Registry<Batcher>::add<Sarathi>(
    "sarathi", "all sequences decode in every step; prompts fill up the token budget in chunks");

}  // namespace
}  // namespace servecast
