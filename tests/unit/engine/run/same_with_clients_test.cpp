// Steps put before the engine give the same bytes, where clients give up while replicas change sides, come and go.
#include <gtest/gtest.h>

#include <sstream>

#include "sim/report/record/series.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::same_with_clients_test {

/// Draws one of several texts.
class Draw {
 public:
  Draw(std::uint64_t seed, const std::string& name) : rng_(seed, name) {}
  std::string of(const std::vector<std::string>& texts) { return texts[rng_.below(texts.size())]; }

 private:
  Rng rng_;
};

/// Clients wait for a time that is over before the request is queued, or comes at any later stage, or for ever.
std::string workload(Draw& draw, std::uint64_t seed) {
  const std::string timeout = draw.of({"0.002", "0.004", "0.01", "0.05", "0.3", "1", "5", ""});
  return "seed: " + std::to_string(seed) + "\nslo: {ttft_s: 1, tpot_s: 0.05}\nworkload:\n" +
         (timeout.empty() ? "" : "  client_timeout_s: " + timeout + "\n") +
         "  generate:\n    requests: 60\n    arrivals: " +
         draw.of({"{poisson: {requests_per_s: 8}}", "{gamma: {requests_per_s: 30, cv: 3}}",
                  "{constant: {requests_per_s: 64}}", "{closed_loop: {clients: 6}}"}) +
         "\n    prompt_tokens: " + draw.of({"{fixed: 200}", "{lognormal: {median: 1500, sigma: 1}, max: 6000}"}) +
         "\n    output_tokens: " + draw.of({"{fixed: 5}", "{exponential: {mean: 60}}", "{zipf: {max: 600}}"}) +
         "\ncluster: {node: dgx_h100}\n";
}

/// Those whose sequences leave one by one, and so may go on elsewhere.
std::vector<std::string> batchers() {
  std::vector<std::string> names = Registry<Batcher>::names();
  std::erase_if(names, [](const std::string& name) {
    return Registry<Batcher>::all().at(name).prepare()->make()->after_last() != AfterLast::frees;
  });
  return names;
}

std::string pool(Draw& draw, const std::string& more) {
  return "pools:\n  - {name: p, llm: llama-3.1-8b, gpu: h100_sxm_80g, engine: " + draw.of({"none", "vllm-0.15"}) +
         ", batcher: {policy: " + draw.of(batchers()) + "}, " + more + "}\n";
}

std::string roles(std::uint64_t seed) {
  Draw draw(seed, "roles");
  const std::string load = workload(draw, seed);
  return load + pool(draw, "replicas: " + draw.of({"2", "3", "4"}) + ", placement: {policy: dynamic_roles, " +
                               draw.of({"check_every_s: 0.05, most_waiting_tokens: 100",
                                        "check_every_s: 0.3, most_kv_fraction: 0.1", "check_every_s: 1"}) +
                               "}" + draw.of({"", ", kv_cache: {num_gpu_blocks_override: 900}"}));
}

std::string scaled(std::uint64_t seed) {
  Draw draw(seed, "scaled");
  const std::string load = workload(draw, seed);
  const std::string jobs = draw.of({"", "{policy: jobs, workers: 100, deadline_s: 9.35, late: cancel}, ",
                                    "{policy: jobs, workers: 3, deadline_s: 2, late: cancel}, "});
  const std::string nodes = draw.of(
      {"{name: a}, {name: b, after: [a], output_fraction: 20}", "{name: a}, {name: b}, {name: c, after: [a, b]}"});
  const std::string gateway = draw.of({"", "gateway: [" + jobs + "{policy: graph, nodes: [" + nodes + "]}]\n"});
  return load + gateway +
         pool(draw, "replicas: " + draw.of({"1", "3"}) + ", autoscaler: {policy: " +
                        draw.of({"llumnix_freeness", "hpa, waiting_requests: 3", "planner",
                                 "predictive, requests_per_s: 5"}) +
                        "}, scaling: {min_replicas: " + draw.of({"0", "1"}) +
                        ", provision_s: 0.5, imports_s: 0, gpu_load_bytes_per_s: 1.0e12, engine_init_s: " +
                        draw.of({"0", "0.5", "3"}) +
                        draw.of({"", ", warm_replicas: 1", ", mirror: {for_s: 1, fraction: 0.5}"}) + "}");
}

std::string all_of(const std::string& text, bool step_by_step) {
  return in_child([&] {
    Scenario scenario = scenario_from(text);
    const Finished done = run_it(scenario, {.step_by_step = step_by_step});
    std::string all = told(done.recorder, done.facts);
    for (const SeriesRow& row : make_series(done.recorder, done.facts))
      all += fmt::format("{} {} {} {:a} {:a} {:a} {:a} {:a} {:a} {:a} {:a} {:a}\n", row.time_s, index(row.pool),
                         row.arrivals, row.running, row.waiting, row.kv_used_fraction, row.busy_gpus, row.rented_gpus,
                         row.prompt_tokens_per_s, row.output_tokens_per_s, row.watts, row.usd);
    return all;
  });
}

/// Names the first line that differs: the whole is long.
void expect_same(const std::string& text) {
  std::istringstream slow(all_of(text, true));
  std::istringstream quick(all_of(text, false));
  std::string a;
  for (std::string b; std::getline(quick, b);) {
    std::getline(slow, a);
    ASSERT_EQ(a, b) << text;
  }
  ASSERT_FALSE(std::getline(slow, a)) << text;
}

class SameWithClients : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(All, SameWithClients, testing::Range<std::uint64_t>(0, 8));

constexpr std::uint64_t loads_each = 4;

TEST_P(SameWithClients, WhereReplicasChangeSides) {
  for (std::uint64_t i = 0; i < loads_each; ++i) {
    const std::string text = roles(GetParam() * loads_each + i);
    expect_same(text);
  }
}

TEST_P(SameWithClients, WhereReplicasComeAndGo) {
  for (std::uint64_t i = 0; i < loads_each; ++i) {
    const std::string text = scaled(GetParam() * loads_each + i);
    expect_same(text);
  }
}

}  // namespace servecast::same_with_clients_test
