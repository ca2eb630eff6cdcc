#include "sim/report/text/text_report.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <sstream>

#include "sim/report/layout/text_layout.h"
#include "sim/report/text/verdict.h"
#include "sim/report/text/warnings.h"
#include "tests/unit/report/files.h"
#include "tests/unit/report/made_up.h"

namespace servecast::text_report_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Summary big() {
  const auto latency = [](double s) { return Statistics{s, s * 0.9, s * 2, s * 2.5, s * 4, s * 9}; };
  Summary s{.name = "chat on four H100",
            .version = "0.1.0",
            .seed = 1,
            .workload = "trace chat.csv.gz",
            .duration_s = 3500,
            .steps = 412345};
  s.requests = {.arrived = 19366, .completed = 19300, .rejected = 6, .unfinished = 60};
  s.latencies = {
      .ttft_s = latency(0.0851), .tpot_s = latency(0.0123), .e2e_s = latency(2.72), .queue_s = latency(0.00042)};
  s.itl_s = latency(0.0119);
  s.requests_per_s = 5.514;
  s.prompt_tokens_per_s = 6385.2;
  s.output_tokens_per_s = 1168.4;
  s.slo = {.ttft_s = 1,
           .tpot_s = 0.05,
           .target_fraction = 0.99,
           .attained_fraction = 0.9313,
           .goodput_requests_per_s = 5.153,
           .ttft_attained_fraction = 0.932,
           .tpot_attained_fraction = 0.9996};
  s.cost = {
      .usd_per_hour = 11.96, .usd_total = 11.63, .usd_per_request = 0.000602, .usd_per_million_output_tokens = 2.843};
  s.energy = {.j_total = 5.43e6, .j_per_output_token = 1.327};
  s.pools = {{.name = "chat",
              .llm = "llama-3.1-8b",
              .gpu = "h100_sxm_80g",
              .replicas = 3,
              .gpus = 3,
              .busy_fraction = 0.734,
              .kv_used_fraction_mean = 0.121,
              .kv_used_fraction_max = 0.45},
             {.name = "review",
              .llm = "llama-3.1-70b",
              .gpu = "h100_sxm_80g",
              .replicas = 1,
              .gpus = 4,
              .busy_fraction = 1,
              .kv_used_fraction_mean = 0.8,
              .kv_used_fraction_max = 1,
              .preemptions = 1234}};
  s.classes = {
      {.name = "interactive", .requests = {.arrived = 15000}, .latencies = s.latencies, .attained_fraction = 0.95},
      {.name = "batch", .requests = {.arrived = 4366}, .latencies = {}, .attained_fraction = 0}};
  s.rests_on = {{.pool = "chat", .latency_model = "roofline", .notes = {"constants of SXM cards, PCIe not checked"}},
                {.pool = "review",
                 .latency_model = "table",
                 .fitted_range = "1 to 4,096 tokens, up to 512 sequences",
                 .extrapolated_fraction = 0.23}};
  return s;
}

/// Arrivals for 100 s, a queue that grows by two a second and then takes 20 s to empty.
std::vector<SeriesRow> growing() {
  std::vector<SeriesRow> rows;
  for (int t = 0; t < 120; ++t)
    rows.push_back({.time_s = static_cast<double>(t),
                    .arrivals = t < 100 ? 5 : 0,
                    .running = 30,
                    .waiting = t < 100 ? 2.0 * t : 10.0 * (120 - t),
                    .busy_gpus = t < 110 ? 7.0 : 3.5});
  return rows;
}

/// UPDATE_GOLDEN=1 rewrites the file.
void expect_golden(const std::string& text, const std::string& name) {
  const std::string file = SERVECAST_SOURCE_DIR "/tests/unit/report/" + name;
  if (std::getenv("UPDATE_GOLDEN")) put_text(file, text);
  EXPECT_EQ(text, read_text(file)) << "UPDATE_GOLDEN=1 rewrites " << name;
}

TEST(TextReport, LooksAsItShould) { expect_golden(text_report(big(), growing(), {}), "golden_report.txt"); }

TEST(TextReport, InAscii) {
  const std::string text = text_report(big(), growing(), {.unicode = false, .width = 80});
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  expect_golden(text, "golden_report_ascii.txt");
}

TEST(TextReport, KeepsToTheWidth) {
  for (const int width : {80, 100}) {
    std::istringstream lines(text_report(big(), growing(), {.width = width}));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(columns(line), static_cast<std::size_t>(width)) << line;
  }
}

TEST(TextReport, ColourOnlyWhenAsked) {
  EXPECT_THAT(text_report(big(), {}, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(text_report(big(), {}, {.colour = true}), HasSubstr("\x1b[1;31mSLO NOT met"));
}

TEST(TextReport, SaysWherePercentilesComeFromHistograms) {
  Summary s = big();
  EXPECT_THAT(text_report(s, {}, {}), Not(HasSubstr("percentiles")));
  s.percentile_error_fraction = 1.0 / 2048;
  EXPECT_THAT(text_report(s, {}, {}), HasSubstr("percentiles: from histograms, within 0.05 % of the exact ones"));
}

TEST(TextReport, OfARunInWhichNothingHappened) {
  Recorder recorder(1);
  recorder.set_slo(made_up::facts().slo);
  recorder.close();
  const std::string text = text_report(summarise(recorder, made_up::facts()), {}, {});
  EXPECT_THAT(text, HasSubstr("SLO not judged: no request arrived."));
  EXPECT_THAT(text, Not(HasSubstr("OVER TIME")));
}

TEST(Verdict, SaysByHowMuch) {
  EXPECT_EQ(verdict({}), "No SLO stated.");
  SloSummary slo{.ttft_s = 1, .target_fraction = 0.99, .attained_fraction = 0.996, .ttft_attained_fraction = 0.996};
  EXPECT_EQ(verdict(slo), "SLO met: 99.6 % keep TTFT ≤ 1.00 s; 99.0 % asked, 0.600 points to spare.");
  EXPECT_EQ(bound_by_bound(slo), "");
  slo.attained_fraction = 0.99;
  EXPECT_THAT(verdict(slo), HasSubstr("SLO met"));
  slo.attained_fraction = 0.9;
  slo.e2e_s = 20;
  slo.e2e_attained_fraction = 0.95;
  EXPECT_EQ(verdict(slo),
            "SLO NOT met: 90.0 % keep TTFT ≤ 1.00 s and E2E ≤ 20.0 s; 99.0 % asked, 9.00 points "
            "short.");
  EXPECT_EQ(bound_by_bound(slo), "Kept one by one: TTFT by 99.6 %, E2E by 95.0 %.");
}

TEST(Warnings, NoneForAQuietRun) {
  Summary s;
  s.requests = {.arrived = 10, .completed = 10};
  s.pools = {{.replicas = 1, .kv_used_fraction_max = 0.98}};
  s.rests_on = {{.extrapolated_fraction = 0.049}};
  std::vector<SeriesRow> steady = growing();
  for (SeriesRow& row : steady) row.waiting = 12;
  EXPECT_THAT(warnings(s, steady), IsEmpty());
  EXPECT_THAT(warnings(s, {}), IsEmpty());
}

TEST(Warnings, AQueueThatGrows) {
  Summary s;
  s.pools = {{.replicas = 4}};
  // Second quarter: 50, 52 ... 98, mean 74. Last quarter: 150 ... 198, mean 174. The time after second 99 does not
  // count.
  EXPECT_THAT(warnings(s, growing()),
              ElementsAre(HasSubstr("74.0 requests wait on average in the second quarter of the "
                                    "arrivals, 174 in the last")));
  s.pools[0].replicas = 63;  // 1.5 x 74 + 63 = 174
  EXPECT_THAT(warnings(s, growing()), IsEmpty());
}

TEST(Warnings, WhatWasNotServedAndWhatIsFull) {
  Summary s;
  s.requests = {.arrived = 10, .completed = 7, .rejected = 1, .unfinished = 2};
  s.pools = {{.name = "a", .kv_used_fraction_max = 1}, {.name = "b", .front_end_busy_fraction = 0.98}};
  s.rests_on = {{.pool = "a", .extrapolated_fraction = 0.5}};
  EXPECT_THAT(warnings(s, {}),
              ElementsAre(HasSubstr("2 of 10 requests were unfinished"), HasSubstr("1 of 10 requests were rejected"),
                          HasSubstr("Pool 'a': a replica's KV cache was full. "),
                          HasSubstr("Pool 'b': its front ends are busy 98.0 % of the time"),
                          HasSubstr("50.0 % of step time")));
}

}  // namespace servecast::text_report_test
