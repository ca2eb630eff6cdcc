#include "sim/report/record/series.h"

#include <gtest/gtest.h>

#include "sim/report/record/over_time.h"

namespace servecast::series_test {

constexpr PoolId first{0};
constexpr PoolId second{1};

PoolFacts pool(std::string name) {
  return {.name = std::move(name),
          .replicas = 2,
          .tensor_parallel = 2,
          .gpus = 4,
          .usd_per_gpu_hour = 9,
          .gpu_idle_w = 10,
          .kv_blocks_per_replica = 100};
}

TEST(Series, StepsInsideASecondAndAcross) {
  Recorder recorder(1);
  recorder.arrival(first, 0.5);
  recorder.step({.start_s = 0.25,
                 .end_s = 0.75,
                 .prefill_tokens = 64,
                 .emitted_tokens = 1,
                 .used_blocks = 40,
                 .energy_j = 100});
  recorder.step({.start_s = 0.75, .end_s = 2.25, .emitted_tokens = 3, .used_blocks = 80, .energy_j = 600});
  recorder.close();
  const std::vector<SeriesRow> rows = make_series(recorder, {.duration_s = 2.5, .pools = {pool("a")}});

  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].arrivals, 1);
  EXPECT_EQ(rows[0].busy_gpus, 2 * 0.75);
  EXPECT_EQ(rows[0].kv_used_fraction, 0.2);  // (0.5 x 40 + 0.25 x 80) / 200
  EXPECT_EQ(rows[0].prompt_tokens_per_s, 64);
  EXPECT_EQ(rows[0].output_tokens_per_s, 1);
  EXPECT_DOUBLE_EQ(rows[0].watts, 100 + 400 * 0.25 + 10 * 2.5);  // both steps, and 4 - 1.5 idle GPUs
  EXPECT_DOUBLE_EQ(rows[0].usd, 0.01);                           // 4 x 9 / 3600

  EXPECT_EQ(rows[1].busy_gpus, 2);
  EXPECT_EQ(rows[1].kv_used_fraction, 0.4);
  EXPECT_EQ(rows[1].output_tokens_per_s, 0);

  EXPECT_EQ(rows[2].time_s, 2);  // half a second long
  EXPECT_EQ(rows[2].busy_gpus, 1);
  EXPECT_EQ(rows[2].output_tokens_per_s, 6);  // 3 in half a second
  EXPECT_DOUBLE_EQ(rows[2].watts, 400 * 0.25 / 0.5 + 10 * 3);
  EXPECT_DOUBLE_EQ(rows[2].usd, 0.025);
}

TEST(Series, OverlappingBatchesOfAPipelineHoldTheirBlocksOnce) {
  Recorder recorder(1);
  recorder.step({.start_s = 0, .end_s = 0.75, .used_blocks = 100});
  recorder.step({.start_s = 0.25, .end_s = 1, .used_blocks = 200});
  recorder.step({.start_s = 0.5, .end_s = 0.75, .used_blocks = 200});  // ends before the one before it does
  recorder.step({.replica = ReplicaId{1}, .start_s = 0, .end_s = 1, .used_blocks = 8});
  recorder.close();
  const std::vector<SeriesRow> rows = make_series(recorder, {.duration_s = 1, .pools = {pool("a")}});
  EXPECT_EQ(rows[0].kv_used_fraction, (0.75 * 100 + 0.25 * 200 + 8) / 200);
}

TEST(Series, WhatHappensAtTheVeryEndBelongsToTheLastSecond) {
  Recorder recorder(1);
  recorder.step({.start_s = 1.5, .end_s = 2, .emitted_tokens = 5});
  recorder.close();
  const std::vector<SeriesRow> rows = make_series(recorder, {.duration_s = 2, .pools = {pool("a")}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].output_tokens_per_s, 5);
  EXPECT_EQ(rows[1].busy_gpus, 1);
}

TEST(Series, RowsGoSecondBySecondAndPoolByPool) {
  Recorder recorder(2);
  recorder.waiting(second, 0.5, 1.5);
  recorder.running(second, 1.5, 2);
  recorder.running(first, 0, 2);
  recorder.close();
  const std::vector<SeriesRow> rows = make_series(recorder, {.duration_s = 2, .pools = {pool("a"), pool("b")}});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1].pool, second);
  EXPECT_EQ(rows[2].pool, first);
  EXPECT_EQ(rows[2].time_s, 1);
  EXPECT_EQ(rows[1].waiting, 0.5);
  EXPECT_EQ(rows[3].waiting, 0.5);
  EXPECT_EQ(rows[3].running, 0.5);
  EXPECT_EQ(rows[0].running, 1);

  const OverTime all = sum_over_pools(rows);
  EXPECT_EQ(all.running, (std::vector<double>{1, 1.5}));
  EXPECT_EQ(all.waiting, (std::vector<double>{0.5, 0.5}));
}

TEST(Recorder, PutsRequestsInOrder) {
  Recorder recorder(1);
  for (const unsigned id : {2u, 0u, 1u}) recorder.request({.id = static_cast<RequestId>(id)});
  recorder.close();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(index(recorder.requests()[i].id), i);
}

}  // namespace servecast::series_test
