#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/unit/cli/servecast.h"
#include "tests/unit/in_child.h"
#include "tests/unit/small_scenario.h"

namespace servecast::compare_test {

using nlohmann::json;
using testing::HasSubstr;

json parsed(std::vector<std::string> words) {
  words.insert(words.end(), {"--format", "json"});
  const Outcome outcome = servecast_with(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return json::parse(outcome.out)["comparisons"];
}

class Compare : public testing::Test {
 protected:
  TestFolder folder_{};
  std::string file_ = folder_.write("small.yaml", small_scenario);

  /// A report, made in a process of its own.
  std::string report(const std::string& name, std::vector<std::string> words) const {
    words.insert(words.begin(), {"run", file_, "--out", folder_ / name});
    EXPECT_EQ(in_child([&] { return servecast_with(words).err; }), "");
    return folder_ / name;
  }
};

TEST_F(Compare, whatif_of_nothing_differs_in_nothing) {
  const json pair = parsed({"whatif", file_, "--set", "seed=3", "--replicates", "5"})[0];
  for (const auto& [key, d] : pair["figures"].items()) {
    EXPECT_EQ(d["difference"], 0.0) << key;
    EXPECT_EQ(d["p05"], 0.0) << key;
    EXPECT_EQ(d["p95"], 0.0) << key;
    EXPECT_EQ(d["agreeing_fraction"], 0.0) << key;
  }
}

TEST_F(Compare, paired_draws_are_surer_than_their_spread) {
  // Twice the GPUs, rented one by one, cost twice as much in every draw. Latency under a rate this low differs less
  // between one and two replicas than between seeds, yet pairs tell them apart.
  const std::string by_gpu = folder_.write(
      "by_gpu.yaml", std::regex_replace(small_scenario, std::regex("dgx_h100"), "dgx_h100, rent: single_gpus"));
  const json figures = parsed({"whatif", by_gpu, "--set", "pools[0].replicas=4", "--replicates", "20"})[0]["figures"];
  const json cost = figures["usd_per_hour"];
  EXPECT_EQ(cost["other"].get<double>(), 2 * cost["base"].get<double>());
  EXPECT_EQ(cost["agreeing_fraction"], 1.0);
  const json tpot = figures["tpot_mean_s"];
  EXPECT_LT(tpot["p95"], 0.0);
  EXPECT_EQ(tpot["agreeing_fraction"], 1.0);
  const json summary = json::parse(in_child([&] {
    return servecast_with({"run", file_, "--replicates", "20", "--format", "json"}).out;
  }));
  const double alone =
      summary["p95"]["tpot_s"]["mean"].get<double>() - summary["p05"]["tpot_s"]["mean"].get<double>();
  EXPECT_LT(tpot["p95"].get<double>() - tpot["p05"].get<double>(), alone);
}

TEST_F(Compare, scenarios_share_seeds_and_reports_are_read) {
  const std::string other = folder_.write("other.yaml", small_scenario + "    power_cap_w: 500\n");
  const json pair = parsed({"compare", file_, other, "--replicates", "3"})[0];
  EXPECT_EQ(pair["replicates"], 3);
  const std::string a = report("a", {}), b = report("b", {"--set", "pools[0].power_cap_w=500"});
  const json read = parsed({"compare", a, b})[0];
  EXPECT_EQ(read["figures"]["energy_j"]["difference"], pair["figures"]["energy_j"]["difference"]);
  EXPECT_TRUE(read["figures"]["energy_j"]["p05"].is_null());  // reports without replicates say nothing of that
}

TEST_F(Compare, reports_with_intervals_give_the_widest_difference) {
  const std::string a = report("a", {"--replicates", "4"});
  const std::string b = report("b", {"--replicates", "4", "--set", "pools[0].replicas=1"});
  const json summary_a = json::parse(text_of(a + "/summary.json")),
             summary_b = json::parse(text_of(b + "/summary.json"));
  const json d = parsed({"compare", a, b})[0]["figures"]["tpot_mean_s"];
  const auto mean = [](const json& summary, const char* bound) {
    return summary[bound]["tpot_s"]["mean"].get<double>();
  };
  EXPECT_NEAR(d["p05"], mean(summary_b, "p05") - mean(summary_a, "p95"), 1e-9);
  EXPECT_NEAR(d["p95"], mean(summary_b, "p95") - mean(summary_a, "p05"), 1e-9);
}

TEST_F(Compare, what_cannot_be_simulated_is_named) {
  const Outcome outcome = servecast_with({"compare", file_, folder_ / "missing.yaml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("missing.yaml cannot be simulated"));
  const Outcome report = servecast_with({"compare", folder_ / "no.json", folder_ / "no2.json"});
  EXPECT_EQ(report.status, 2);
  EXPECT_THAT(report.err, HasSubstr("no.json"));
}

TEST_F(Compare, settings_change_all_scenarios_or_one) {
  const json pair =
      parsed({"compare", file_, file_, "--set", "seed=3", "--set", "2:pools[0].replicas=3", "--replicates", "2"})[0];
  EXPECT_EQ(pair["base"], file_ + " with seed=3");
  EXPECT_EQ(pair["other"], file_ + " with seed=3, pools[0].replicas=3");
  const json changed =
      parsed({"whatif", file_, "--set", "seed=3", "--set", "pools[0].replicas=3", "--replicates", "2"})[0];
  EXPECT_EQ(pair["figures"]["ttft_p99_s"]["other"], changed["figures"]["ttft_p99_s"]["other"]);
  for (const auto& [set, message] : std::vector<std::pair<std::string, std::string>>{
           {"3:seed=2", "speaks of none of the 2"}, {"0:seed=2", "speaks of none"}, {"1:seed", "sets nothing"}})
    EXPECT_THAT(servecast_with({"compare", file_, file_, "--set", set}).err, HasSubstr(message));
  const std::string made = report("made", {});
  EXPECT_THAT(servecast_with({"compare", made, file_, "--set", "1:seed=2"}).err, HasSubstr("which is a report"));
  EXPECT_THAT(servecast_with({"compare", made, made, "--set", "seed=2"}).err, HasSubstr("only reports are compared"));
}

}  // namespace servecast::compare_test
