// Requests that become jobs: their order, their gangs, their deadlines, and the queue's textbook answer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "sim/contract/made_gateway.h"
#include "sim/report/record/latency.h"
#include "tests/unit/gateway/behind.h"

namespace servecast::jobs_test {

/// Puts a job in; tells whether it was taken.
bool arrives(MadeStage& stage, std::uint32_t id, double arrival_s, std::int32_t priority = 0) {
  Request request = MadeStage::request(id);
  request.arrival_s = arrival_s;
  request.priority = priority;
  GatewayRequest of{.request = request};
  return !stage.arrive(of, arrival_s).job->refused;
}
std::optional<std::uint32_t> starts(MadeStage& stage) {
  const auto id = stage.policy->jobs()->start();
  return id ? std::optional(static_cast<std::uint32_t>(index(*id))) : std::nullopt;
}

TEST(Jobs, SmallerPriorityThenEarlierDeadlineGoesFirst) {
  MadeStage stage("jobs", MadeSettings({{"workers", 1}}));
  arrives(stage, 1, 10, 1);
  arrives(stage, 2, 9, 1);
  arrives(stage, 3, 11, 0);
  EXPECT_EQ(starts(stage), 3u);
  EXPECT_EQ(starts(stage), std::nullopt) << "one worker";
  stage.policy->jobs()->over(RequestId{3});
  EXPECT_EQ(starts(stage), 2u);
  stage.policy->jobs()->over(RequestId{1});  // given up while it waits
  stage.policy->jobs()->over(RequestId{2});
  EXPECT_EQ(starts(stage), std::nullopt);
}

TEST(Jobs, AGangStartsWhenAllItsWorkersAreFree) {
  MadeStage stage("jobs", MadeSettings({{"workers", 4}}));
  stage.policy->prepare({.targets = {}, .quality = stage.quality, .width = 3});
  arrives(stage, 1, 0);
  arrives(stage, 2, 1);
  EXPECT_EQ(starts(stage), 1u);
  EXPECT_EQ(starts(stage), std::nullopt) << "one worker is free, three are needed";
  stage.policy->jobs()->over(RequestId{1});
  EXPECT_EQ(starts(stage), 2u);
}

TEST(Jobs, BeyondItsLimitTheQueueRefuses) {
  MadeStage stage("jobs", MadeSettings({{"workers", 1}, {"most_waiting", 2}}));
  EXPECT_TRUE(arrives(stage, 1, 0));
  EXPECT_EQ(starts(stage), 1u);
  EXPECT_TRUE(arrives(stage, 2, 0));
  EXPECT_TRUE(arrives(stage, 3, 0));
  EXPECT_FALSE(arrives(stage, 4, 0)) << "two wait";
}

/// Jobs of exponential length (mean 1 s) on four workers, no time besides.
std::string exponential_jobs(double requests_per_s, const std::string& jobs = "workers: 4", int requests = 20'000) {
  return behind(
      fmt::format("gateway:\n"
                  "  - {{policy: jobs, {}, acknowledgement: {{median_s: 0}}, notification: {{median_s: 0}}}}\n"
                  "  - {{policy: api_tier, name: api, takes_all: true, ttft_median_s: 0.001, ttft_sigma: 0, "
                  "prompt_token_s: 0, tpot_median_s: 0.001, tpot_sigma: 0}}\n",
                  jobs),
      fmt::format(
          "    requests: {}\n    arrivals: {{poisson: {{requests_per_s: {}}}}}\n    prompt_tokens: {{fixed: 1}}\n"
          "    output_tokens: {{exponential: {{mean: 1000}}}}\n",
          requests, requests_per_s));
}

/// Of c servers at `load` Erlang: the chance to wait.
double erlang_c(int c, double load) {
  double term = 1;
  double sum = 0;
  for (int k = 0; k < c; ++k) {
    sum += term;
    term *= load / (k + 1);
  }
  const double waiting = term / (1 - load / c);
  return waiting / (sum + waiting);
}

// M/M/4 at 80 %: C(4, 3.2) = 0.5964, mean wait C / (4 - 3.2) = 0.7455 s. Sixteen runs of 20,000 jobs; the error is
// the runs' own.
TEST(Jobs, WaitAsErlangSays) {
  const double expected_p = erlang_c(4, 3.2);
  EXPECT_NEAR(expected_p, 0.5964, 1e-4);
  const double expected_s = expected_p / (4 - 3.2);
  constexpr int runs = 16;
  struct Mean {
    double sum = 0;
    double squares = 0;
    void add(double x) {
      sum += x;
      squares += x * x;
    }
    double value() const { return sum / runs; }
    double error() const { return std::sqrt((squares / runs - value() * value()) / (runs - 1)); }
  };
  Mean wait_s;
  Mean waits;
  Mean use;
  for (int seed = 1; seed <= runs; ++seed) {
    const Ran ran(exponential_jobs(3.2), false, {{"seed", std::to_string(seed)}});
    double sum = 0;
    double who = 0;
    for (const GatewayRecord& g : ran.recorder.gateway_requests()) {
      sum += *g.job->waited_s;
      who += *g.job->waited_s > 0;
    }
    wait_s.add(sum / 20'000);
    waits.add(who / 20'000);
    use.add(ran.summary.gateway.jobs.front().workers_fraction);
  }
  EXPECT_LT(wait_s.error(), 0.05 * expected_s);
  EXPECT_NEAR(wait_s.value(), expected_s, 3 * wait_s.error());
  EXPECT_NEAR(waits.value(), expected_p, 3 * waits.error());
  EXPECT_NEAR(use.value(), 0.8, 3 * use.error());
  RecordProperty("wait_s", std::to_string(wait_s.value()) + " +- " + std::to_string(wait_s.error()));
  RecordProperty("waits", std::to_string(waits.value()) + " +- " + std::to_string(waits.error()));
}

// Gangs of two on four workers are single jobs on two: M/M/2 at 80 % waits C(2, 1.6) / (2 - 1.6).
TEST(Jobs, GangsOfTwoOnFourAreSingleJobsOnTwo) {
  const Ran gangs(exponential_jobs(1.6, "workers: 4, parts: 2"));
  const Ran singles(exponential_jobs(1.6, "workers: 2"));
  for (std::size_t i = 0; i < 20'000; ++i)
    EXPECT_EQ(gangs.recorder.gateway_requests()[i].job->waited_s,
              singles.recorder.gateway_requests()[i].job->waited_s);
  EXPECT_NEAR(gangs.summary.gateway.jobs.front().workers_fraction,
              singles.summary.gateway.jobs.front().workers_fraction, 1e-9);
}

// Two classes at equal rates on a full queue; the urgent are one third as long due. Those with priority wait less;
// wide jobs come to their turn.
std::string two_classes(const std::string& jobs) {
  const auto of = [](const std::string& name, int priority) {
    return fmt::format(
        "    - generate: {{requests: 2000, arrivals: {{poisson: {{requests_per_s: 1.6}}}}, prompt_tokens: "
        "{{fixed: 1}}, output_tokens: {{exponential: {{mean: 1000}}}}}}\n      class: {}\n      priority: "
        "{}\n",
        name, priority);
  };
  std::string text = exponential_jobs(1, jobs);
  const auto from = text.find("  generate:");
  const auto to = text.find("cluster:");
  return text.replace(from, to - from, "  mix:\n" + of("urgent", 0) + of("patient", 1));
}

TEST(Jobs, ClassesHaveDeadlinesPartsAndPriorities) {
  const Ran ran(two_classes(
      "workers: 4, deadline_s: 30, classes: [{class: urgent, deadline_s: 3}, {class: patient, parts: 2}]"));
  ASSERT_EQ(ran.summary.gateway.jobs.size(), 3u);
  const JobSummary* urgent = &ran.summary.gateway.jobs[1];
  const JobSummary* patient = &ran.summary.gateway.jobs[2];
  if (urgent->request_class != "urgent") std::swap(urgent, patient);
  EXPECT_LT(urgent->waited_s->mean, 0.2 * patient->waited_s->mean);
  EXPECT_EQ(urgent->due, 2000);
  std::array<std::int64_t, 2> kept{};
  for (std::size_t i = 0; i < 4000; ++i) {
    const GatewayRecord& g = ran.recorder.gateway_requests()[i];
    const RequestRecord& r = ran.recorder.requests()[i];
    const bool is_urgent = ran.facts.classes[index(r.request_class)] == "urgent";
    EXPECT_EQ(*g.job->kept, *e2e_s(r) <= (is_urgent ? 3 : 30));
    kept[is_urgent] += *g.job->kept;
    EXPECT_NEAR(g.job->worker_s, (is_urgent ? 1 : 2) * (*e2e_s(r) - *g.job->waited_s), 1e-6);
  }
  EXPECT_NEAR(*urgent->kept_fraction, static_cast<double>(kept[1]) / 2000, 1e-12);
  EXPECT_GT(kept[1], 1800);
  EXPECT_LT(kept[1], 2000);
}

TEST(Jobs, LateOnesAreCancelledWhereSaid) {
  const Ran finished(exponential_jobs(3.6, "workers: 4, deadline_s: 4", 4000));
  const Ran cancelled(exponential_jobs(3.6, "workers: 4, deadline_s: 4, late: cancel", 4000));
  EXPECT_EQ(finished.summary.requests.completed, 4000);
  const JobSummary& jobs = cancelled.summary.gateway.jobs.front();
  EXPECT_EQ(jobs.dropped, cancelled.summary.requests.timed_out);
  EXPECT_EQ(jobs.dropped + cancelled.summary.requests.completed, 4000);
  EXPECT_GT(jobs.dropped, 50);
  EXPECT_GT(*jobs.kept_fraction, *finished.summary.gateway.jobs.front().kept_fraction) << "the others wait less";
  for (const RequestRecord& r : cancelled.recorder.requests()) {
    if (r.finish_s) {
      EXPECT_LE(*r.finish_s - r.arrival_s, 4 + 1e-9);
    }
  }
}

TEST(Jobs, AFullQueueRefuses) {
  const Ran ran(exponential_jobs(8, "workers: 4, most_waiting: 10", 4000));
  EXPECT_EQ(ran.summary.gateway.jobs.front().refused, ran.summary.requests.shed);
  EXPECT_NEAR(static_cast<double>(ran.summary.requests.shed) / 4000, 0.5, 0.05) << "twice what the workers can do";
}

// 10 ms until the job is taken, which delays nothing, and 100 ms until its client knows of the answer.
TEST(Jobs, ClientsKnowAtOnceAndAreToldAtTheEnd) {
  const Ran jobs(behind("gateway:\n  - {policy: jobs, workers: 1000}\n"));
  const Ran plain(behind(""));
  for (std::size_t i = 0; i < 400; ++i) {
    const RequestRecord& r = jobs.recorder.requests()[i];
    EXPECT_DOUBLE_EQ(jobs.recorder.gateway_requests()[i].job->acknowledged_s, 0.010);
    EXPECT_NEAR(*r.finish_s, *plain.recorder.requests()[i].finish_s + 0.100, 1e-9);
    EXPECT_EQ(r.first_token_s, r.finish_s) << "nothing streams";
  }
}

// A job has its workers until all LLM calls are done, whose number the graph behind it says.
TEST(Jobs, AGraphBehindThemSaysHowWideTheyAre) {
  const Ran ran(
      behind("gateway:\n  - {policy: jobs, workers: 4}\n  - {policy: graph, nodes: [{name: part, parts: 3}, "
             "{name: join, after: [part]}]}\n"));
  EXPECT_EQ(ran.summary.requests.completed, 400);
  for (const GatewayRecord& g : ran.recorder.gateway_requests())
    EXPECT_NEAR(g.job->worker_s, 3 * g.graph->makespan_s, 1e-9);
  EXPECT_LE(ran.summary.gateway.jobs.front().workers_fraction, 0.75) << "the fourth worker never works";
}

TEST(Jobs, ClientsThatHaveAnAcknowledgementDoNotGiveUp) {
  const Ran ran(behind("gateway:\n  - {policy: jobs, workers: 1}\n",
                       "    requests: 50\n    arrivals: {poisson: {requests_per_s: 8}}\n    prompt_tokens: {fixed: "
                       "500}\n    output_tokens: {fixed: 60}\n  client_timeout_s: 1\n"));
  EXPECT_EQ(ran.summary.requests.completed, 50);
}

TEST(Jobs, WhatWaitsAtTheEndIsUnfinished) {
  const Ran ran(behind("gateway:\n  - {policy: jobs, workers: 1, deadline_s: 5}\n", "", "until_s: 20\n"));
  EXPECT_GT(ran.summary.requests.unfinished, 50);
  std::int64_t open = 0;
  for (const GatewayRecord& g : ran.recorder.gateway_requests()) open += !g.job->kept;
  EXPECT_GT(open, 0) << "of some the run's end does not tell whether they keep their deadline";
  EXPECT_LT(open, ran.summary.requests.unfinished) << "others have missed it";
}

// Two runs, the same bytes, however often they are watched.
TEST(Jobs, RepeatThemselves) {
  const std::string text = two_classes("workers: 3, deadline_s: 5, late: cancel, most_waiting: 20");
  const Ran once(text);
  const Ran slowly(text, true);
  ASSERT_EQ(once.recorder.requests().size(), slowly.recorder.requests().size());
  for (std::size_t i = 0; i < once.recorder.requests().size(); ++i)
    EXPECT_EQ(once.recorder.requests()[i].finish_s, slowly.recorder.requests()[i].finish_s);
}

// Times of stages vary, and so does the dispatch: lognormal with sigma 1 has its 99th percentile at e^2.326 = 10.24
// medians. The pool's front end adds what it always does.
TEST(Dispatch, JitterIsWhatTheStagesVaryBy) {
  const auto jitter = [](const std::string& sigma) {
    const Ran ran(behind("gateway:\n  - {policy: retrieval, embedding: {median_s: 0.01, sigma: " + sigma +
                             "}, search: {median_s: 0}}\n",
                         "    requests: 20000\n    arrivals: {poisson: {requests_per_s: 20}}\n    prompt_tokens: "
                         "{fixed: 10}\n    output_tokens: {fixed: 1}\n"));
    return *ran.summary.gateway.dispatch;
  };
  EXPECT_NEAR(jitter("0").jitter_s, 0, 1e-12);
  EXPECT_GE(jitter("0").time_s.p50, 0.01);
  EXPECT_NEAR(jitter("1").jitter_s, 0.01 * (std::exp(2.326) - 1), 0.007);
}

}  // namespace servecast::jobs_test
