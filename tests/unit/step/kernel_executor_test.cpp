// A whole server on the host: the loop, the simulator's batcher, and real steps of a tiny decoder.
#include "calibrate/decoder/kernel_executor.h"

#include <gtest/gtest.h>

#include "calibrate/serve/serve_loop.h"
#include "tests/unit/serving/fixture.h"
#include "tests/unit/step/host_device.h"

namespace servecast::kernel_executor_test {

constexpr DecoderShape tiny{
    .layers = 1, .hidden = 64, .q_heads = 2, .kv_heads = 1, .head_dim = 64, .intermediate = 64, .vocabulary = 64};

struct ServedRun {
  std::vector<RequestRecord> records{};
  std::vector<std::map<std::int64_t, std::int32_t>> made{};  // by request
};

/// A clock of its own, which every look moves by a millisecond.
ServedRun served(const std::vector<Request>& requests, std::int64_t blocks, double budget) {
  HostDevice device;
  double clock_s = 100;
  KernelExecutor executor(
      tiny, {.tokens = 32, .sequences = 4, .context = 64, .kv_blocks = blocks, .block_tokens = 16}, device,
      {.now_s = [&] { return clock_s += 1e-3; }, .sleep = [&](double s) { clock_s += s; }});
  executor.warm_up();
  EXPECT_LT(executor.now_s(), 0.01);
  const auto batcher = make_policy<Batcher>(
      "vllm_v1", {{"async_scheduling", 0}, {"max_num_batched_tokens", budget}, {"max_num_seqs", 4}});
  const auto cache = make_policy<KvCache>("paged", {{"block_tokens", 16}});
  ServedRun run{.records = serve(requests, {*batcher, *cache}, executor)};
  for (std::size_t i = 0; i < requests.size(); ++i)
    run.made.push_back(executor.made_by(static_cast<std::int64_t>(i)));
  return run;
}

std::vector<Request> some_requests() {
  std::vector<Request> all;
  for (std::uint32_t i = 0; i < 5; ++i)
    all.push_back({.id = RequestId{i},
                   .arrival_s = 0.004 * i,
                   .prompt_tokens = 9 + 7 * std::int64_t{i},
                   .output_tokens = 6 + 2 * std::int64_t{i}});
  return all;
}

// What a sequence makes does not depend on what is computed beside it, on where its blocks lie, on how its prompt is
// cut, or on being thrown out and computed again.
TEST(KernelExecutor, MakesTheSameTokensInAnyCompany) {
  const std::vector<Request> requests = some_requests();
  const ServedRun plenty = served(requests, 40, 32);
  const ServedRun scarce = served(requests, 7, 11);
  std::uint32_t preemptions = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(plenty.records[i].status, RequestStatus::completed);
    EXPECT_EQ(std::ssize(plenty.made[i]), requests[i].output_tokens);
    EXPECT_EQ(plenty.made[i].begin()->first, requests[i].prompt_tokens);
    EXPECT_EQ(plenty.made[i], scarce.made[i]) << "request " << i;
    EXPECT_GE(*plenty.records[i].first_token_s, requests[i].arrival_s);
    EXPECT_GT(*plenty.records[i].finish_s, *plenty.records[i].first_token_s);
    preemptions += scarce.records[i].preemptions;
  }
  EXPECT_GT(preemptions, 0u);
}

TEST(KernelExecutor, RejectsWhatCouldNeverFit) {
  const ServedRun run = served({{.id = RequestId{0}, .prompt_tokens = 40, .output_tokens = 9},
                                {.id = RequestId{1}, .prompt_tokens = 16, .output_tokens = 2}},
                               2, 32);
  EXPECT_EQ(run.records[0].status, RequestStatus::rejected);
  EXPECT_EQ(run.records[1].status, RequestStatus::completed);
}

}  // namespace servecast::kernel_executor_test
