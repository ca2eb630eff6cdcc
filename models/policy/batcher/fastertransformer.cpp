// Batcher "fastertransformer": request-level batching without padding (NVIDIA FasterTransformer behind a dynamic
// batcher; the rules are those of the Vidur simulator, MLSys 2024).
//
// A batch is taken from the queue when nothing runs and its prompts are computed in one step. A sequence that has
// made the last token leaves the computation and gets the answer, but memory and places come free only when the whole
// batch is done: no sequence joins before. Reserves memory in one piece: use it with the KV cache "contiguous_max".
#include "models/policy/batcher.h"

namespace servecast {
namespace {

class FasterTransformer final : public Batcher {
 public:
  struct Settings {
    std::int64_t max_batch_size = 128;
    std::int64_t max_num_batched_tokens = 16384;
    void fields(Fields& f) {
      f.field("max_batch_size", max_batch_size, "most requests in a batch", at_least_one);
      f.field("max_num_batched_tokens", max_num_batched_tokens,
              "most prompt tokens of a batch, for which memory is reserved; a longer prompt runs alone",
              at_least_one);
    }
  };
  explicit FasterTransformer(const Settings& settings) : settings_(settings) {}

  std::int64_t max_step_tokens() const override { return settings_.max_num_batched_tokens; }
  std::int64_t max_sequences() const override { return settings_.max_batch_size; }
  AfterLast after_last() const override { return AfterLast::keeps_memory; }

  void fill(Batch& batch) override {
    if (batch.decode_all() > 0) return;
    std::int64_t tokens = 0;
    const std::int64_t most = sequences_per_lane(settings_.max_batch_size, batch.lanes());
    for (std::int64_t size = 0; size < most && batch.has_waiting(); ++size) {
      const std::int64_t prompt = batch.waiting().left_tokens;
      if (size > 0 && tokens + prompt > settings_.max_num_batched_tokens) return;
      if (!batch.admit(prompt)) return;
      tokens += prompt;
    }
  }

  bool repeatable(const Batch&) const override { return true; }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added = Registry<Batcher>::add<FasterTransformer>(
    "fastertransformer", "batches that keep their memory until the longest is done; no sequence joins before");

}  // namespace
}  // namespace servecast
