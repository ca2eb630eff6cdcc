// The loop that drives a real server's steps against the simulator: with steps that take what a formula says, both
// must come to the same times, bit for bit.
#include "calibrate/serve/serve_loop.h"

#include <gtest/gtest.h>

#include "calibrate/step/block_tables.h"
#include "tests/unit/engine/scenario_text.h"

namespace servecast::serve_loop_test {

constexpr std::int64_t block_tokens = 16;

/// Steps take as long as a latency model says. Watches over the KV as an executor with real blocks would.
class MadeExecutor final : public StepExecutor {
 public:
  MadeExecutor(const StepLatency& latency, std::int64_t blocks)
      : latency_(latency), blocks_(blocks), tables_(blocks, block_tokens) {}
  std::int64_t kv_tokens() const override { return blocks_ * block_tokens; }
  double now_s() override { return now_s_; }
  void wait_until(double at_s) override { now_s_ = std::max(now_s_, at_s); }
  void run(std::span<const StepPart> parts) override {
    for (const StepPart& part : parts) {
      EXPECT_EQ(held_[part.sequence], part.before_tokens) << "of sequence " << part.sequence;
      EXPECT_TRUE(part.tokens == 1 || !part.decodes);
      EXPECT_GE(part.tokens, 1);
      held_[part.sequence] += part.tokens;
      tables_.hold(part.sequence, held_[part.sequence]);
    }
    now_s_ += latency_.stage(work_of(parts, latency_), 0).seconds;
    ++steps;
  }
  void release(std::int64_t sequence) override {
    held_.erase(sequence);
    tables_.release(sequence);
  }
  bool empty() const { return held_.empty() && tables_.free_blocks() == blocks_; }

  std::int64_t steps = 0;

 private:
  const StepLatency& latency_;
  std::int64_t blocks_;
  BlockTables tables_;
  std::map<std::int64_t, std::int64_t> held_{};  // tokens in KV
  double now_s_ = 0;
};

std::string scenario_text(std::uint64_t seed) {
  Rng rng(seed, "serve loop");
  const auto one_of = [&](std::initializer_list<const char*> choices) {
    return std::string(choices.begin()[rng.below(choices.size())]);
  };
  return "seed: " + std::to_string(seed) + R"(
workload:
  generate:
    requests: 120
    arrivals: )" +
         one_of({"{poisson: {requests_per_s: 8}}", "{poisson: {requests_per_s: 60}}",
                 "{constant: {requests_per_s: 1000}}"}) +
         R"(
    prompt_tokens: {exponential: {mean: 400}, max: 3000}
    output_tokens: {exponential: {mean: 60}, max: 300}
cluster: {node: dgx_h100}
pools:
  - name: chat
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    engine: none
    latency: {model: )" +
         one_of({"roofline", "profile"}) + R"(}
    batcher: {policy: vllm_v1, async_scheduling: false, max_num_batched_tokens: )" +
         one_of({"256", "2048"}) + ", max_num_seqs: " + one_of({"8", "64"}) + R"(}
    kv_cache: {policy: paged, num_gpu_blocks_override: )" +
         one_of({"180", "250", "4000"}) + "}\n";
}

std::vector<Request> requests_of(Workload& workload) {
  std::vector<Request> all;
  while (const auto request = workload.next()) all.push_back(*request);
  return all;
}

TEST(ServeLoop, ComesToTheSimulatorsTimesBitForBit) {
  std::int64_t preempted = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Scenario simulated = scenario_from(scenario_text(seed));
    Recorder recorder(1);
    const RunFacts facts = run_without_engine(simulated, recorder, {});

    Scenario measured = scenario_from(scenario_text(seed));
    const PoolSpec& pool = measured.pools[0].spec;
    MadeExecutor executor(*measured.pools[0].latency, facts.pools[0].kv_blocks_per_replica);
    const auto batcher = pool.batcher.make();
    const auto cache = pool.kv_cache.make();
    const std::vector<Request> requests = requests_of(*measured.workload);
    const std::vector<RequestRecord> records = serve(requests, {*batcher, *cache}, executor);

    ASSERT_EQ(records.size(), recorder.requests().size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      const RequestRecord& a = records[i];
      const RequestRecord& b = recorder.requests()[i];
      ASSERT_EQ(std::tie(a.id, a.arrival_s, a.scheduled_s, a.first_token_s, a.finish_s, a.output_tokens,
                         a.preemptions, a.status),
                std::tie(b.id, b.arrival_s, b.scheduled_s, b.first_token_s, b.finish_s, b.output_tokens,
                         b.preemptions, b.status))
          << "request " << i << " of seed " << seed;
      preempted += a.preemptions;
    }
    EXPECT_EQ(executor.steps, facts.steps) << "of seed " << seed;
    EXPECT_TRUE(executor.empty());
  }
  EXPECT_GT(preempted, 50);
}

}  // namespace servecast::serve_loop_test
