// Batcher "static": request-level batching, as when a model is called from a loop with padded batches.
//
// A batch is taken from the queue when nothing runs, its prompts are padded to the longest and computed in one step,
// and all decode until the longest output is done: a sequence that is done earlier is padding, and none joins.
// All answers come at the end of the batch. The tokens of padding cost time, not KV memory.
#include <algorithm>

#include "models/policy/batcher.h"

namespace servecast {
namespace {

class Static final : public Batcher {
 public:
  struct Settings {
    std::int64_t max_batch_size = 8;
    std::int64_t max_num_batched_tokens = 16384;
    void fields(Fields& f) {
      f.field("max_batch_size", max_batch_size, "most requests in a batch", at_least_one);
      f.field("max_num_batched_tokens", max_num_batched_tokens,
              "most prompt tokens of a batch, padding included; a longer prompt runs alone", at_least_one);
    }
  };
  explicit Static(const Settings& settings) : settings_(settings) {}

  std::int64_t max_step_tokens() const override { return settings_.max_num_batched_tokens; }
  std::int64_t max_sequences() const override { return settings_.max_batch_size; }
  AfterLast after_last() const override { return AfterLast::pads; }

  void fill(Batch& batch) override {
    if (batch.decode_all() > 0) return;
    std::int64_t longest = 0;
    const std::int64_t most = sequences_per_lane(settings_.max_batch_size, batch.lanes());
    for (std::int64_t size = 0; size < most && batch.has_waiting(); ++size) {
      const std::int64_t prompt = batch.waiting().left_tokens;
      longest = std::max(longest, prompt);
      if (size > 0 && (size + 1) * longest > settings_.max_num_batched_tokens) break;
      if (!batch.admit(prompt)) break;
    }
    batch.pad_prompts();
  }

  bool repeatable(const Batch&) const override { return true; }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<Batcher>::add<Static>("static", "padded batches that wait for their longest; no sequence joins before");

}  // namespace
}  // namespace servecast
