#include "sim/plan/study/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/judge/sizer.h"
#include "sim/report/summary/summary.h"
#include "tests/unit/message_of.h"
#include "tests/unit/plan/made_up_study.h"

namespace servecast::study_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string complaint(const std::string& below_base) {
  return message_of([&] {
    const StudyFile file(below_base);
    const Study study = file.load();
    Sizer sizer(study);
    for (const Design& design : enumerate(study)) sizer.size(design);
  });
}

std::vector<std::string> designs(const std::string& below_base) {
  const StudyFile file(below_base);
  const Study study = file.load();
  std::vector<std::string> all;
  for (const Design& design : enumerate(study)) all.push_back(words(study, design));
  return all;
}

constexpr const char* promise = "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n";

TEST(Space, WalksAllCombinationsInOrder) {
  EXPECT_THAT(designs("space:\n"
                      "  - {name: a, path: seed, from: 1, to: 5, step: 4}\n"
                      "  - {name: b, options: [{name: x}, {name: y, set: [name=y]}]}\n"),
              ElementsAre("a=1 b=x", "a=1 b=y", "a=5 b=x", "a=5 b=y"));
}

TEST(Space, KeepsConstraints) {
  EXPECT_THAT(designs("space:\n"
                      "  - {name: n, path: 'pools[0].replicas', from: 1, to: 4}\n"
                      "  - {name: tp, path: 'pools[0].tensor_parallel', values: [1, 2, 4]}\n"
                      "constraints: [n * tp == 4]\n"),
              ElementsAre("n=1 tp=4", "n=2 tp=2", "n=4 tp=1"));
}

std::vector<DimensionValue> values_of(const std::string& dimension) {
  return StudyFile(std::string(promise) + "space: [{name: d, " + dimension + "}]\n").load().dimensions[0].values;
}

/// "name: path=value path=value".
std::vector<std::string> shown(const std::vector<DimensionValue>& values) {
  std::vector<std::string> all;
  for (const DimensionValue& value : values) {
    all.push_back(value.name + ":");
    for (const Override& change : value.set) all.back() += " " + change.path + "=" + change.value;
  }
  return all;
}

TEST(Space, ADimensionTakesValuesARangeOrOptions) {
  EXPECT_THAT(shown(values_of("path: 'pools[0].weights', values: [fp8, 'bf16']")),
              ElementsAre("fp8: pools[0].weights=fp8", "bf16: pools[0].weights=bf16"));
  EXPECT_THAT(shown(values_of("path: seed, from: 2, to: 9, step: 3")),
              ElementsAre("2: seed=2", "5: seed=5", "8: seed=8"));
  EXPECT_THAT(shown(values_of("path: seed, from: 4, to: 4")), ElementsAre("4: seed=4"));
  EXPECT_THAT(shown(values_of("options: [{name: as_is}, {name: two, set: ['slo.ttft_s=2', 'name=a=b']}]")),
              ElementsAre("as_is:", "two: slo.ttft_s=2 name=a=b"));  // the first '=' ends the path
}

/// What a design is made of, value by value: numbers, lists and maps arrive as they would in a file.
TEST(Sizer, SetsWhatADimensionSays) {
  const StudyFile file(std::string(promise) +
                       "space:\n"
                       "  - {name: until, path: until_s, values: ['1e3', '0.5']}\n"
                       "  - {name: pool, path: pools,\n"
                       "     values: ['[{name: other, llm: llama-3.1-8b, gpu: h200_sxm_141g}]']}\n"
                       "  - {name: slo, path: slo, values: ['{ttft_s: 2, target_fraction: 0.9}']}\n");
  const Study study = file.load();
  Sizer sizer(study);
  const std::vector<Design> all = enumerate(study);
  ASSERT_EQ(all.size(), 2u);
  const ScenarioSpec spec = sizer.spec_of(sizer.size(all.front()));
  EXPECT_EQ(spec.until_s, 1000);
  EXPECT_EQ(spec.pools.at(0).name, "other");
  EXPECT_EQ(spec.pools.at(0).gpu, "h200_sxm_141g");
  EXPECT_EQ(spec.slo.ttft_s, 2);
  EXPECT_EQ(spec.slo.target_fraction, 0.9);
  EXPECT_EQ(sizer.spec_of(sizer.size(all.back())).until_s, 0.5);
}

/// A dimension that a design does without does not multiply, and constraints that read it say nothing.
TEST(Space, DimensionsMayBeInUseForSomeDesignsOnly) {
  EXPECT_THAT(designs("space:\n"
                      "  - {name: kind, options: [{name: plain}, {name: split}]}\n"
                      "  - {name: prefill, path: 'pools[0].replicas', values: [1, 2], when: kind == 'split'}\n"
                      "constraints: [prefill > 1]\n"),
              ElementsAre("kind=plain", "kind=split prefill=2"));
}

TEST(Study, ContradictoryConstraintsSayWhichAndHowMuchEachLeaves) {
  EXPECT_EQ(complaint("space: [{name: n, path: 'pools[0].replicas', from: 1, to: 4}]\n"
                      "constraints: [n > 2, n < 2]\n"),
            "no design is left: of 4 combinations 'n > 2' alone leaves 2, 'n < 2' alone leaves 1, all constraints "
            "together leave none; loosen one or add values to the space");
}

TEST(Study, CollectsWhatIsWrongWithPlaces) {
  EXPECT_THAT(complaint("objectives: [{metric: ttft_s, at_least: 1}, {metric: tpot_s, percentile: 98, at_most: 1}]\n"
                        "goal: most_goodput\n"
                        "constraints: [replicaz > 1]\n"
                        "space: [{name: replicas, path: 'pools[0].replicas'}]\n"),
              AllOf(HasSubstr("study.yaml:6:14: 'ttft_s' takes 'percentile' and 'at_most'"),
                    HasSubstr("'percentile' must be 50, 90, 95, 99 or 100"),
                    HasSubstr("study.yaml:9:9: 'replicas' takes one of"),
                    HasSubstr("study.yaml:8:14: unknown dimension 'replicaz'; did you mean 'replicas'?"),
                    HasSubstr("study.yaml:7:7: most_goodput needs 'rate_factors'")));
}

TEST(Study, PromisesAnyFigureOfAReport) {
  EXPECT_THAT(complaint("objectives: [{metric: usd_per_hour, at_most: 1}]\n"
                        "space: [{name: replicas, path: 'pools[0].replicas', values: [1]}]\n"),
              HasSubstr("unknown figure 'usd_per_hour'; did you mean 'cost.usd_per_hour'?"));
  EXPECT_THAT(complaint("objectives: [{metric: ttft_s.mean, percentile: 99, at_most: 1}]\n"
                        "space: [{name: replicas, path: 'pools[0].replicas', values: [1]}]\n"),
              HasSubstr("'ttft_s.mean' takes 'at_most' or 'at_least', and neither 'percentile' nor 'class'"));
}

TEST(Study, EmptySpaceIsAMistake) {
  EXPECT_THAT(complaint("space: []\n"), HasSubstr("'space' is empty"));
  EXPECT_THAT(complaint("space: [{name: n, path: seed, from: 3, to: 2}]\n"), HasSubstr("'n' has no values"));
}

/// A setting that does not exist is a mistake of the dimension, not a design that cannot be built.
TEST(Study, UnknownSettingsOfADimensionAreMistakes) {
  EXPECT_THAT(complaint(std::string(promise) + "space: [{name: n, path: 'pools[0].replicaz', values: [1]}]\n"),
              AllOf(HasSubstr("study.yaml:7:9: pools[0].replicaz=1"), HasSubstr("did you mean 'replicas'?")));
  EXPECT_THAT(complaint(std::string(promise) + "space: [{name: g, path: 'pools[0].gpu', values: [h10]}]\n"),
              HasSubstr("unknown gpu 'h10'"));
}

TEST(Study, NothingPromisedIsAMistake) {
  EXPECT_THAT(complaint("space: [{name: n, path: seed, values: [1]}]\n"), HasSubstr("nothing is promised"));
}

TEST(Study, DemandIsThePeakOfTheDay) {
  const StudyFile file(
      "demand: {growth_factor: 1.5, hourly: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,25]}\n"
      "space: [{name: n, path: seed, values: [1]}]\n");
  EXPECT_DOUBLE_EQ(file.load().peak_rate_factor(), 1.5 * 25 / 2);  // 48 in 24 hours: 2 on average
}

std::optional<double> price_at_2kw(const Study& study, const SizedDesign& d, const char* term) {
  Summary run{.duration_s = 1};
  run.energy.j_total = 2000;
  const auto cost = hour_cost(study, d, term, run);
  return cost ? std::optional(cost->usd()) : std::nullopt;
}

TEST(Sizer, CountsMachinesAndTheirPrice) {
  const StudyFile file(std::string(promise) +
                       "availability: {mtbf_s: 99, mttr_s: 1, target_fraction: 0.999}\n"
                       "prices: {gpus: [{gpu: h100_sxm_80g, reserved_usd_per_gpu_hour: 2, purchase_usd: 1000}],\n"
                       "  owned: {lifetime_s: 3600, node_purchase_usd: 500, usd_per_kwh: 0.1, pue: 1.5}}\n"
                       "demand: {growth_factor: 3}\n"
                       "space: [{name: n, path: 'pools[0].replicas', values: [10]}]\n");
  const Study study = file.load();
  Sizer sizer(study);
  const SizedDesign d = sizer.size(enumerate(study).front());
  EXPECT_EQ(d.machines.gpu_count(), 10);
  EXPECT_EQ(d.machines.nodes(), 2);  // eight and two
  // Two nodes up: 0.99^2 = 0.9801. Two of three: 0.99^3 + 3 * 0.99^2 * 0.01 = 0.999702.
  EXPECT_EQ(d.machines.spare_nodes(), 1);
  const auto price = [&](const char* term) { return price_at_2kw(study, d, term); };
  EXPECT_DOUBLE_EQ(*price("on_demand"), 18 * 2.5);  // ten, and the eight of the spare node
  EXPECT_DOUBLE_EQ(*price("reserved"), 18 * 2);
  EXPECT_FALSE(price("spot"));
  EXPECT_DOUBLE_EQ(*price("owned"), 24 * 1000 + 3 * 500 + 2 * 1.5 * 0.1);  // spent in an hour, and 3 kWh
  EXPECT_THAT(d.set, ElementsAre("pools[0].replicas=10", "workload.generate.rate_scale=3"));
}

// Eight H100 in a node of eight, five L40S in two nodes of four. A node up: 0.99; one of two: 0.9999. Two of three:
// 0.999702. So each group has a spare, at the price of its own GPUs: 8 x 2 + 5 x 1 + 8 x 2 + 4 x 1. Nodes are bought
// full: 16 x 1,000 + 12 x 100 and five nodes.
TEST(Sizer, CountsEachGroupOfNodesByItself) {
  const StudyFile file(
      std::string(promise) +
      "availability: {mtbf_s: 99, mttr_s: 1, target_fraction: 0.999}\n"
      "prices: {gpus: [{gpu: h100_sxm_80g, reserved_usd_per_gpu_hour: 2, purchase_usd: 1000},\n"
      "  {gpu: l40s_48g, reserved_usd_per_gpu_hour: 1, purchase_usd: 100}],\n"
      "  owned: {lifetime_s: 3600, node_purchase_usd: 500, usd_per_kwh: 0.1, pue: 1.5}}\n"
      "set: ['cluster={rent: single_gpus, groups: [{name: a, node: dgx_h100}, {name: b, node: pcie_server_4, gpu: "
      "l40s_48g, nodes: 2}]}',\n"
      "  'pools=[{name: x, llm: llama-3.1-8b, gpu: h100_sxm_80g, replicas: 8},\n"
      "    {name: y, llm: llama-3.1-8b, gpu: l40s_48g, replicas: 5}]']\n"
      "space: [{name: n, path: seed, values: [1]}]\n");
  const Study study = file.load();
  Sizer sizer(study);
  const SizedDesign d = sizer.size(enumerate(study).front());
  EXPECT_EQ(d.impossible, "");
  EXPECT_EQ(d.machines.nodes(), 3);
  EXPECT_EQ(d.machines.spare_nodes(), 2);
  const auto price = [&](const char* term) { return price_at_2kw(study, d, term); };
  EXPECT_DOUBLE_EQ(*price("reserved"), 41);
  EXPECT_DOUBLE_EQ(*price("owned"), 16 * 1000 + 12 * 100 + 5 * 500 + 2 * 1.5 * 0.1);
}

// Eleven H100 and five L40S in nodes of eight and four: 5 + 3 are paid for and not used, at 2.50 and 0.80 USD unless
// the study has a price for the term.
TEST(Sizer, NodesThatAreRentedWholeCostAllTheirGpus) {
  const StudyFile file(
      std::string(promise) +
      "prices: {gpus: [{gpu: h100_sxm_80g, reserved_usd_per_gpu_hour: 2}, {gpu: l40s_48g, "
      "reserved_usd_per_gpu_hour: 0.5}]}\n"
      "set: ['cluster={groups: [{name: a, node: dgx_h100, nodes: 2}, {name: b, node: pcie_server_4, gpu: l40s_48g, "
      "nodes: 2}]}',\n"
      "  'pools=[{name: x, llm: llama-3.1-8b, gpu: h100_sxm_80g, replicas: 11},\n"
      "    {name: y, llm: llama-3.1-8b, gpu: l40s_48g, replicas: 5, usd_per_gpu_hour: 0.8}]']\n"
      "space: [{name: rent, path: cluster.rent, values: [whole_nodes, single_gpus]}]\n");
  const Study study = file.load();
  Sizer sizer(study);
  const std::vector<Design> designs = enumerate(study);
  const SizedDesign whole = sizer.size(designs[0]);
  const SizedDesign single = sizer.size(designs[1]);
  EXPECT_EQ(whole.impossible, "");
  EXPECT_DOUBLE_EQ(whole.least_usd_per_hour, 16 * 2.5 + 8 * 0.8);
  EXPECT_DOUBLE_EQ(single.least_usd_per_hour, 11 * 2.5 + 5 * 0.8);
  EXPECT_THAT(whole.machines.words(), HasSubstr(" on 4 nodes (8 of their GPUs unused)"));
  const Machines one{.gpus = {{.title = "H100", .count = 1}}, .groups = {{.nodes = 1}}, .unused = {{.gpus = 7}}};
  EXPECT_EQ(one.words(), "1 H100 on 1 node (7 of its GPUs unused)");
  EXPECT_DOUBLE_EQ(least_hour_cost(whole.machines, study.spec.prices, "reserved")->usd(), 16 * 2 + 8 * 0.5);
  EXPECT_DOUBLE_EQ(least_hour_cost(single.machines, study.spec.prices, "reserved")->usd(), 11 * 2 + 5 * 0.5);
}

// What a token takes at best is what weights and KV take to be read: twice as long with half the memory bandwidth.
TEST(Sizer, DesignsMayDifferInTheFiguresOfAGpu) {
  const StudyFile file(
      "objectives: [{metric: tpot_s, percentile: 50, at_most: 0.0001}]\n"
      "promise: {certainty: best_estimate}\n"
      "space: [{name: bandwidth, path: gpus.h100_sxm_80g.hbm_bytes_per_s, values: ['3.35e12', '1.675e12']}]\n");
  const Study study = file.load();
  Sizer sizer(study);
  const std::vector<Design> designs = enumerate(study);
  const SizedDesign whole = sizer.size(designs[0]);
  const SizedDesign half = sizer.size(designs[1]);
  EXPECT_NEAR(half.best_case.overload / whole.best_case.overload, 2, 1e-9);
  EXPECT_EQ(sizer.size(designs[0]).best_case.overload, whole.best_case.overload);
  EXPECT_THAT(half.set, ElementsAre("gpus.h100_sxm_80g.hbm_bytes_per_s=1.675e12"));
}

// The class is held to a bound that it cannot keep: the best case breaks what it is promised, and that alone.
/// B200's and H200's figures of a roofline are scaled, but kernels were measured on them; not so on A40.
TEST(Sizer, KnowsWhoseKernelsAreDerived) {
  const StudyFile file(std::string(promise) +
                       "space:\n  - name: gpu\n    options:\n"
                       "      - {name: h100}\n"
                       "      - {name: b200, set: [cluster.node=hgx_b200, 'pools[0].gpu=b200_sxm_180g']}\n"
                       "      - {name: h200, set: [cluster.node=hgx_h200, 'pools[0].gpu=h200_sxm_141g']}\n"
                       "      - {name: a40, set: [cluster.node=pcie_server_4, 'pools[0].gpu=a40_48g']}\n"
                       "      - {name: by roofline, set: [cluster.node=hgx_b200, 'pools[0].gpu=b200_sxm_180g', "
                       "'pools[0].latency.model=roofline']}\n");
  const Study study = file.load();
  Sizer sizer(study);
  std::vector<bool> derived;
  for (const Design& design : enumerate(study)) derived.push_back(sizer.size(design).derived);
  EXPECT_THAT(derived, ElementsAre(false, false, false, true, true));
}

TEST(Sizer, ClassesHaveTheirOwnPromises) {
  const StudyFile file(
      "set: [workload.class=gold, 'slo={ttft_s: 100, classes: [{class: gold, ttft_s: 1e-6, target_fraction: "
      "0.9}]}']\n"
      "space: [{name: replicas, path: 'pools[0].replicas', values: [1]}]\n");
  const Study study = file.load();
  const SizedDesign sized = Sizer(study).size(enumerate(study)[0]);
  ASSERT_EQ(sized.promises.size(), 2u);
  EXPECT_EQ(sized.promises[0].words(), "99.0 % within the SLO");
  EXPECT_EQ(sized.promises[1].words(), "90.0 % of gold within the SLO");
  EXPECT_GT(sized.best_case.overload, 1);
  EXPECT_THAT(sized.best_case.why(), HasSubstr("gold"));
}

TEST(Sizer, PromisesToClassesThatNeverComeAreMistakes) {
  EXPECT_THAT(complaint("set: ['slo={classes: [{class: gold, ttft_s: 1}]}']\n"
                        "space: [{name: replicas, path: 'pools[0].replicas', values: [1]}]\n"),
              HasSubstr("slo.classes: unknown class 'gold'"));
}

}  // namespace servecast::study_test
