#include "sim/report/record/recorder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/base/rng.h"
#include "sim/report/summary/summary.h"

namespace servecast::recorder_test {

/// Requests whose waits, prompts and decodes are spread over several octaves; a tenth of them not served.
std::vector<RequestRecord> random_requests(std::uint32_t count) {
  Rng rng(1, "records");
  std::vector<RequestRecord> records;
  for (std::uint32_t i = 0; i < count; ++i) {
    RequestRecord r{.id = RequestId{i}, .arrival_s = 0.01 * i, .prompt_tokens = 10, .request_class = ClassId(i % 3)};
    if (i % 10 == 0) r.status = RequestStatus::rejected;
    if (i % 10 != 0) {
      r.scheduled_s = r.arrival_s + rng.lognormal(-3, 2);
      r.first_token_s = *r.scheduled_s + rng.exponential(0.2);
      r.finish_s = *r.first_token_s + rng.lognormal(1, 1);
      r.output_tokens = 1 + static_cast<std::int64_t>(rng.below(300));
      r.status = RequestStatus::completed;
    }
    records.push_back(r);
  }
  return records;
}

Summary summary_of(std::span<const RequestRecord> records, const KeepRequests& keep) {
  const RunFacts facts{
      .duration_s = 1, .slo = {{.ttft_s = 0.5, .e2e_s = 5}}, .pools = {{}}, .classes = {"a", "b", "c"}};
  Recorder recorder(1, keep);
  recorder.set_slo(facts.slo);
  for (const RequestRecord& r : records) recorder.request(r);
  recorder.close();
  return summarise(recorder, facts);
}

void expect_close(const Latencies& coarse, const Latencies& exact) {
  for (const auto latency : {&Latencies::ttft_s, &Latencies::tpot_s, &Latencies::e2e_s, &Latencies::queue_s}) {
    const Statistics& a = *(coarse.*latency);
    const Statistics& b = *(exact.*latency);
    for (const auto p : {&Statistics::p50, &Statistics::p90, &Statistics::p95, &Statistics::p99})
      EXPECT_NEAR(a.*p, b.*p, b.*p * Histogram::max_error_fraction);
    EXPECT_EQ(a.max, b.max);
    EXPECT_EQ(a.mean, b.mean);
  }
}

TEST(Recorder, HistogramsGiveTheExactPercentilesWithinTheirErrorAndAllElseExactly) {
  static_assert(Histogram::max_error_fraction <= 0.001);
  const std::vector<RequestRecord> records = random_requests(200'000);
  Summary coarse = summary_of(records, {.records = false, .exact_up_to = 1000});
  const Summary exact = summary_of(records, {});
  ASSERT_EQ(exact.percentile_error_fraction, 0);
  ASSERT_EQ(coarse.percentile_error_fraction, Histogram::max_error_fraction);
  expect_close(coarse.latencies, exact.latencies);
  ASSERT_EQ(coarse.classes.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    expect_close(coarse.classes[i].latencies, exact.classes[i].latencies);
    coarse.classes[i].latencies = exact.classes[i].latencies;
  }
  coarse.latencies = exact.latencies;
  coarse.percentile_error_fraction = 0;
  EXPECT_EQ(coarse, exact);
}

TEST(Recorder, TheOrderOfRequestsMakesNoDifference) {
  std::vector<RequestRecord> records = random_requests(5000);
  const auto text = [&](std::int64_t exact_up_to) {
    return to_json(summary_of(records, {.exact_up_to = exact_up_to}));
  };
  const std::string exact = text(5000);
  const std::string coarse = text(2000);
  EXPECT_NE(exact, coarse);
  Rng rng(2, "order");
  for (std::size_t i = records.size() - 1; i > 0; --i) std::swap(records[i], records[rng.below(i + 1)]);
  EXPECT_EQ(text(5000), exact);
  EXPECT_EQ(text(2000), coarse);
}

// The summary must not depend on whether requests.csv was asked for, nor on when a class turned up.
TEST(Recorder, KeepsRecordsBesideHistogramsWhereTheyAreWanted) {
  std::vector<RequestRecord> records = random_requests(300);
  for (RequestRecord& r : records) r.request_class = ClassId(index(r.id) < 200 ? 0 : 1);
  EXPECT_EQ(summary_of(records, {.records = true, .exact_up_to = 150}),
            summary_of(records, {.records = false, .exact_up_to = 150}));
  Recorder recorder(1, {.exact_up_to = 150});
  for (const RequestRecord& r : records) recorder.request(r);
  recorder.close();
  EXPECT_EQ(recorder.requests().size(), 300u);
}

TEST(Recorder, IsExactUpToTheLimit) {
  const std::vector<RequestRecord> records = random_requests(101);
  const std::span<const RequestRecord> all(records);
  EXPECT_EQ(summary_of(all.first(100), {.exact_up_to = 100}).percentile_error_fraction, 0);
  EXPECT_GT(summary_of(all, {.exact_up_to = 100}).percentile_error_fraction, 0);
}

}  // namespace servecast::recorder_test
