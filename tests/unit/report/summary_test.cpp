#include "sim/report/summary/summary.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/unit/message_of.h"
#include "tests/unit/report/files.h"
#include "tests/unit/report/made_up.h"

namespace servecast::summary_test {

using testing::HasSubstr;

Summary small() {
  Recorder recorder = made_up::recorder();
  recorder.token_gap(PoolId{}, 0.5, 7);
  return summarise(recorder, made_up::facts());
}

TEST(Summary, CountsAndRates) {
  const Summary s = small();
  EXPECT_EQ(s.requests, (RequestCounts{.arrived = 5, .completed = 3, .rejected = 1, .unfinished = 1}));
  EXPECT_DOUBLE_EQ(s.requests_per_s, 0.3);
  EXPECT_DOUBLE_EQ(s.prompt_tokens_per_s, 20);   // 100 + 50 + 30 + 20; the rejected prompt was never computed
  EXPECT_DOUBLE_EQ(s.output_tokens_per_s, 1.1);  // 5 + 1 + 2 + 3, the unfinished request's too
}

// However a request ends, that is counted, and all ends together are all requests.
TEST(Summary, EveryStatusHasACount) {
  Recorder recorder(1);
  std::uint32_t id = 0;
  using enum RequestStatus;
  for (const RequestStatus status : {completed, rejected, shed, timed_out, unfinished, lost})
    recorder.request({.id = RequestId{id++}, .status = status});
  recorder.close();
  EXPECT_EQ(summarise(recorder, {.pools = {PoolFacts{.replicas = 1}}, .classes = {""}}).requests,
            (RequestCounts{.arrived = 6, .completed = 1, .rejected = 1, .shed = 1, .timed_out = 1, .lost = 1,
                           .unfinished = 1}));
}

// 20 and 30 tokens from 1 s on, the last at 6 s; what a client gave up does not count.
TEST(Summary, TokensOfAClassAreThoseOfItsAnswers) {
  RequestTotals first;
  EXPECT_EQ(first.output_tokens_per_s(), std::nullopt);
  first.add({.arrival_s = 3, .finish_s = 6, .output_tokens = 20, .status = RequestStatus::completed}, {});
  RequestTotals second;
  second.add({.arrival_s = 1, .finish_s = 4, .output_tokens = 30, .status = RequestStatus::completed}, {});
  second.add({.arrival_s = 2, .finish_s = 9, .output_tokens = 7, .status = RequestStatus::timed_out}, {});
  EXPECT_EQ((first += second).output_tokens_per_s(), 10);
}

TEST(Summary, Latencies) {
  const Summary s = small();
  // First tokens after 1, 0.25, 3 and 1 s.
  EXPECT_EQ(s.latencies.ttft_s, (Statistics{.mean = 1.3125, .p50 = 1, .p90 = 3, .p95 = 3, .p99 = 3, .max = 3}));
  // (3 - 1) / 4 and (7 - 6) / 2; one request has a single token and one is unfinished.
  EXPECT_EQ(s.latencies.tpot_s, (Statistics{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(s.latencies.e2e_s, (Statistics{.mean = 1.75, .p50 = 2, .p90 = 3, .p95 = 3, .p99 = 3, .max = 3}));
  EXPECT_EQ(s.latencies.queue_s, (Statistics{.mean = 0.75, .p50 = 0.5, .p90 = 2, .p95 = 2, .p99 = 2, .max = 2}));
  EXPECT_EQ(s.itl_s, (Statistics{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}));
}

TEST(Summary, SloCountsWhatWasNotServedAsMissed) {
  const SloSummary slo = small().slo;
  EXPECT_EQ(slo.attained_fraction, 0.6);  // requests 0, 1 and 4 of five; 0 and 4 are exactly on both bounds
  EXPECT_EQ(slo.goodput_requests_per_s, 0.3);
  EXPECT_EQ(slo.ttft_attained_fraction, 0.6);
  EXPECT_EQ(slo.e2e_attained_fraction, std::nullopt);
  EXPECT_TRUE(slo.met());

  RunFacts tighter = made_up::facts();
  tighter.slo.tpot_s = 0.4999;  // leaves the request with a single token
  const SloSummary missed = summarise(made_up::recorder(tighter.slo), tighter).slo;
  EXPECT_EQ(missed.attained_fraction, 0.2);
  EXPECT_EQ(missed.ttft_attained_fraction, 0.6);
  EXPECT_FALSE(missed.met());

  RunFacts no_bounds = made_up::facts();
  no_bounds.slo = {};
  EXPECT_EQ(summarise(made_up::recorder(no_bounds.slo), no_bounds).slo, SloSummary{});
}

TEST(Summary, CostAndEnergy) {
  const Summary s = small();
  EXPECT_EQ(s.cost.usd_per_hour, 6);                                   // 2 x 3
  EXPECT_DOUBLE_EQ(s.cost.usd_total, 1.0 / 60);                        // 6 x 10 / 3600
  EXPECT_DOUBLE_EQ(*s.cost.usd_per_request, 1.0 / 180);                // by 3
  EXPECT_DOUBLE_EQ(*s.cost.usd_per_million_output_tokens, 1e6 / 660);  // by 11
  EXPECT_EQ(s.energy.j_total, 1100);
  EXPECT_EQ(s.energy.j_per_output_token, 100);
}

TEST(Summary, Pools) {
  const PoolSummary pool = small().pools.at(0);
  EXPECT_EQ(pool.busy_fraction, 0.25);         // 5 / (2 x 10)
  EXPECT_EQ(pool.kv_used_fraction_mean, 0.2);  // 400 / (2 x 100 x 10)
  EXPECT_EQ(pool.kv_used_fraction_max, 0.8);
  EXPECT_EQ(pool.preemptions, 1);
}

TEST(Summary, ClassesOnlyWhereThereAreSeveral) {
  EXPECT_TRUE(small().classes.empty());
  Recorder recorder(1);
  recorder.set_slo(made_up::facts().slo);
  for (RequestRecord r : made_up::requests()) {
    r.request_class = static_cast<ClassId>(r.status == RequestStatus::completed ? 0 : 1);
    recorder.request(r);
  }
  recorder.close();
  const Summary s = summarise(recorder, made_up::facts());
  ASSERT_EQ(s.classes.size(), 2u);
  EXPECT_EQ(s.classes[0].name, "plain");
  EXPECT_EQ(s.classes[0].attained_fraction, 1);
  EXPECT_EQ(s.classes[1].requests, (RequestCounts{.arrived = 2, .rejected = 1, .unfinished = 1}));
  EXPECT_EQ(s.classes[1].latencies.ttft_s->max, 3);
  EXPECT_EQ(s.classes[1].latencies.e2e_s, std::nullopt);
}

// Of five requests three are completed. Class 0, promised what all are (TTFT 1 s), keeps two of its four; class 1 has
// one, with its first token after 0.25 s; no request of class 2 came.
TEST(Summary, ClassesAreHeldToWhatTheyArePromised) {
  RunFacts facts = made_up::facts();
  facts.classes = {"plain", "tenant", "absent"};
  for (const double bound_s : {0.3, 0.2}) {
    facts.slo.classes = {{ClassId{1}, {.ttft_s = bound_s, .target_fraction = 1}},
                         {ClassId{2}, {.ttft_s = 1, .target_fraction = 1}}};
    Recorder recorder(1);
    recorder.set_slo(facts.slo);
    for (RequestRecord r : made_up::requests()) {
      if (index(r.id) == 1) r.request_class = ClassId{1};
      recorder.request(r);
    }
    recorder.close();
    const Summary s = summarise(recorder, facts);
    const bool kept = bound_s == 0.3;
    ASSERT_EQ(s.classes.size(), 3u);
    EXPECT_EQ(s.classes[0].attained_fraction, 0.5);
    EXPECT_EQ(s.classes[1].promised.ttft_s, bound_s);
    EXPECT_EQ(s.classes[1].slo().met(), kept);
    EXPECT_EQ(s.classes[2].attained_fraction, std::nullopt);
    EXPECT_EQ(s.slo.attained_fraction, kept ? 0.6 : 0.4);
    EXPECT_EQ(s.slo.classes_missed, kept ? 0 : 1);
    EXPECT_EQ(s.slo.met(), kept);
  }
}

/// A hundred requests of ten seconds, of which `left` were never in a batch when their clients gave up, and `cut_off`
/// were; on average `waiting` wait while one runs.
Summary with_leavers(int left, int cut_off, int waiting = 0) {
  Recorder recorder(1);
  recorder.set_slo(made_up::facts().slo);
  recorder.running(PoolId{}, 0, 10);
  for (int i = 0; i < waiting; ++i) recorder.waiting(PoolId{}, 0, 10);
  for (int i = 0; i < 100; ++i) {
    RequestRecord r{
        .id = static_cast<RequestId>(i), .arrival_s = 0.1 * i, .finish_s = 0.1 * i + 1, .prompt_tokens = 10};
    if (i >= left) r.scheduled_s = r.arrival_s;
    r.status = i < left + cut_off ? RequestStatus::timed_out : RequestStatus::completed;
    recorder.request(r);
  }
  recorder.close();
  return summarise(recorder, made_up::facts());
}

TEST(Summary, IsSaturatedWhereOnlyLeavingClientsBoundTheQueue) {
  EXPECT_TRUE(with_leavers(1, 0).saturated);
  EXPECT_FALSE(with_leavers(0, 0).saturated);
  EXPECT_FALSE(with_leavers(0, 50, 1).saturated);  // their answers took long, not their wait
  EXPECT_TRUE(with_leavers(0, 50, 2).saturated);
}

/// A pool that always runs all the sequences it may, with ten requests a second for `arrivals_s` of 10 s.
Summary full_pool(int arrivals_s, bool closed_loop) {
  RunFacts facts = made_up::facts();
  facts.pools[0].max_sequences = 1;
  facts.pools[0].closed_loop = closed_loop;
  Recorder recorder(1);
  recorder.set_slo(facts.slo);
  for (std::int64_t i = 0; i < facts.pools[0].replicas; ++i) recorder.running(PoolId{}, 0, 10);
  for (int i = 0; i < 10 * arrivals_s; ++i) recorder.arrival(PoolId{}, 0.1 * i);
  recorder.close();
  return summarise(recorder, facts);
}

TEST(Summary, IsNearSaturationWhereRequestsKeepComingToAFullPool) {
  EXPECT_TRUE(full_pool(10, false).near_saturation);
  EXPECT_FALSE(full_pool(10, true).near_saturation);
  EXPECT_FALSE(full_pool(1, false).near_saturation);  // all work is there at the beginning
}

// Five requests where at most four are exact: the latencies move into histograms, counts and bounds do not.
TEST(Summary, OfMoreRequestsThanAreKeptHasTheSameCounts) {
  const RunFacts facts = made_up::facts();
  const Recorder kept = made_up::recorder(facts.slo, {.exact_up_to = 5});
  const Recorder coarse = made_up::recorder(facts.slo, {.records = false, .exact_up_to = 4});
  EXPECT_TRUE(coarse.requests().empty());
  EXPECT_EQ(coarse.count(), 5);
  const Summary exact = summarise(kept, facts);
  Summary close = summarise(coarse, facts);
  EXPECT_EQ(exact.percentile_error_fraction, 0);
  EXPECT_EQ(close.percentile_error_fraction, 1.0 / 2048);
  for (const auto latency : {&Latencies::ttft_s, &Latencies::tpot_s, &Latencies::e2e_s, &Latencies::queue_s}) {
    const Statistics& a = *(exact.latencies.*latency);
    const Statistics& b = *(close.latencies.*latency);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.max, b.max);
    EXPECT_NEAR(a.p50, b.p50, a.p50 / 2048);
  }
  close.latencies = exact.latencies;
  close.percentile_error_fraction = 0;
  EXPECT_EQ(close, exact);
}

TEST(Summary, OfARunWithoutRequests) {
  Recorder recorder(1);
  RunFacts facts = made_up::facts();
  recorder.set_slo(facts.slo);
  recorder.close();
  facts.duration_s = 0;
  const Summary s = summarise(recorder, facts);
  EXPECT_EQ(s.requests_per_s, 0);
  EXPECT_EQ(s.latencies, Latencies{});
  EXPECT_EQ(s.itl_s, std::nullopt);
  EXPECT_EQ(s.slo.attained_fraction, std::nullopt);
  EXPECT_FALSE(s.slo.met());
  EXPECT_EQ(s.cost.usd_per_request, std::nullopt);
  EXPECT_EQ(s.energy.j_per_output_token, std::nullopt);
  const auto json = nlohmann::json::parse(to_json(s));
  EXPECT_TRUE(json["ttft_s"].is_null());
  EXPECT_TRUE(json["slo"]["attained_fraction"].is_null());
}

TEST(SummaryJson, HasTheKeysThatArePromised) {
  const auto json = nlohmann::ordered_json::parse(to_json(small()));
  for (const char* key : {"/requests/arrived",
                          "/requests/completed",
                          "/requests/rejected",
                          "/requests/unfinished",
                          "/requests_per_s",
                          "/prompt_tokens_per_s",
                          "/output_tokens_per_s",
                          "/slo/attained_fraction",
                          "/slo/goodput_requests_per_s",
                          "/cost/usd_per_hour",
                          "/cost/usd_total",
                          "/cost/usd_per_request",
                          "/cost/usd_per_million_output_tokens",
                          "/energy/j_total",
                          "/energy/j_per_output_token",
                          "/pools/0/name",
                          "/pools/0/replicas",
                          "/pools/0/gpus",
                          "/pools/0/busy_fraction",
                          "/pools/0/kv_used_fraction_mean",
                          "/pools/0/kv_used_fraction_max",
                          "/pools/0/preemptions",
                          "/seed",
                          "/version",
                          "/settings/seed",
                          "/rests_on/0/latency_model"})
    EXPECT_TRUE(json.contains(nlohmann::ordered_json::json_pointer(key))) << key;
  for (const char* latency : {"ttft_s", "tpot_s", "itl_s", "e2e_s", "queue_s"})
    for (const char* key : {"mean", "p50", "p90", "p95", "p99", "max"})
      EXPECT_TRUE(json[latency][key].is_number()) << latency << key;
  EXPECT_FALSE(json.contains("classes"));
}

TEST(SummaryJson, RoundsNumbersButNotSettings) {
  const std::string text = to_json(small());
  EXPECT_THAT(text, HasSubstr("\"usd_total\": 0.0166666667,"));
  EXPECT_THAT(text, HasSubstr("\"usd_per_million_output_tokens\": 1515.15152"));
  EXPECT_THAT(text, HasSubstr("0.1234567890123"));
  EXPECT_EQ(text.back(), '\n');
}

TEST(SummaryJson, ReadsBackToTheSameText) {
  const TemporaryFolder folder;
  Recorder recorder(1);
  recorder.set_slo(made_up::facts().slo);
  for (RequestRecord r : made_up::requests()) {
    r.request_class = static_cast<ClassId>(index(r.id) % 2);
    recorder.request(r);
  }
  recorder.close();
  const Summary s = summarise(recorder, made_up::facts());
  ASSERT_FALSE(s.classes.empty());
  ASSERT_FALSE(s.itl_s);  // written as null
  put_text(folder / "summary.json", to_json(s));
  const Summary back = read_summary(folder / "summary.json");
  EXPECT_EQ(to_json(back), to_json(s));
  EXPECT_EQ(back.classes.at(1).latencies.ttft_s, s.classes.at(1).latencies.ttft_s);
  EXPECT_EQ(back.seed, 7);
}

std::string error_of(const std::filesystem::path& file) {
  return message_of([&] { read_summary(file); });
}

TEST(SummaryJson, SaysWhatIsWrongWithAFile) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "summary.json";
  EXPECT_EQ(error_of(file), file.string() + ": cannot be read; give the path of an existing file");

  put_text(file, "{\n  \"seed\": 1,\n  \"na");
  EXPECT_THAT(error_of(file), HasSubstr(file.string() + ":3:"));
  EXPECT_THAT(error_of(file), HasSubstr("not JSON from here on"));

  put_text(file, "[1]");
  EXPECT_THAT(error_of(file), HasSubstr("not a JSON object"));

  auto json = nlohmann::ordered_json::parse(to_json(small()));
  json.erase("seed");
  json["pools"][0]["gpus"] = "many";
  json["something_newer"] = 1;
  json["itl_s"].erase("p99");
  put_text(file, json.dump());
  EXPECT_EQ(error_of(file), file.string() + ": 'seed' is missing; it should be a whole number\n" + file.string() +
                                ": 'itl_s.p99' is missing; it should be a number\n" + file.string() +
                                ": 'pools[0].gpus' should be a whole number");
}

}  // namespace servecast::summary_test
