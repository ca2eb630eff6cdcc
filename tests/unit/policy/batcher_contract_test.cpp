// What every registered batcher must keep.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "models/base/rng.h"
#include "models/policy/batcher.h"
#include "models/policy/kv_cache.h"
#include "models/policy/queue.h"
#include "tests/unit/policy/contract.h"

namespace servecast::batcher_contract_test {

/// A batch over plain lists, to see what a batcher asks for. Unlimited blocks.
class ListBatch final : public Batch {
 public:
  std::int64_t decodes = 0;
  std::vector<std::int64_t> begun{};
  std::vector<std::int64_t> queue{};
  std::int64_t tokens = 0;
  bool decoded = false;

  std::int64_t lanes() const override { return 1; }
  std::int64_t lane() const override { return 0; }
  std::int64_t running() const override { return decodes + prefilling(); }
  std::int64_t decoding() const override { return decodes; }
  std::int64_t prefilling() const override { return static_cast<std::int64_t>(begun.size()); }
  PrefillView prefill(std::int64_t i) const override {
    return {.left_tokens = begun.at(static_cast<std::size_t>(i))};
  }
  bool has_waiting() const override { return !queue.empty(); }
  PrefillView waiting() const override { return {.left_tokens = queue.front()}; }
  std::int64_t decode_all(const DecodeRules&) override {
    EXPECT_FALSE(std::exchange(decoded, true)) << "decodes only once";
    tokens += decodes;
    return decodes;
  }
  std::int64_t continue_prefill(std::int64_t i, std::int64_t count) override {
    EXPECT_GT(count, 0);
    const std::int64_t done = std::min(count, begun.at(static_cast<std::size_t>(i)));
    begun[static_cast<std::size_t>(i)] -= done;
    tokens += done;
    return done;
  }
  std::optional<std::int64_t> admit(std::int64_t count, const AdmitRules&) override {
    EXPECT_GT(count, 0);
    const std::int64_t done = std::min(count, queue.front());
    begun.push_back(queue.front() - done);
    queue.erase(queue.begin());
    tokens += done;
    return done;
  }
  void pad_prompts() override {}
  std::int64_t preempted() const override { return 0; }
};

class AnyBatcher : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyBatcher, testing::ValuesIn(Registry<Batcher>::names()), print_name);

TEST_P(AnyBatcher, KeepsItsLimitsAndDoesSomething) {
  Rng rng(5, "batches");
  for (int i = 0; i < 300; ++i) {
    const auto batcher = make<Batcher>(GetParam());
    ListBatch batch;
    batch.decodes = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(batcher->max_sequences()) + 1));
    for (std::uint64_t n = rng.below(40); n > 0; --n)
      batch.queue.push_back(1 + static_cast<std::int64_t>(rng.below(1'500)));
    const bool something = batch.decodes > 0 || !batch.queue.empty();
    batcher->fill(batch);
    EXPECT_EQ(batch.tokens > 0, something);
    EXPECT_LE(batch.tokens, batcher->max_step_tokens());
    EXPECT_LE(batch.running(), batcher->max_sequences());
  }
}

}  // namespace servecast::batcher_contract_test
