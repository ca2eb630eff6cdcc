#include "sim/cli/output/settings_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/input/resolve/load_scenario.h"
#include "tests/unit/cli/servecast.h"
#include "tests/unit/small_scenario.h"

namespace servecast::settings_text_test {

TEST(SettingsText, holds_what_was_given_and_every_default) {
  const TestFolder folder;
  Scenario scenario = load_scenario(folder.write("s.yaml", small_scenario), {{"pools[0].router.policy", "random"}});
  const auto settings = nlohmann::json::parse(settings_text(scenario.spec));
  EXPECT_EQ(settings["name"], "small");
  EXPECT_EQ(settings["workload"]["generate"]["arrivals"]["poisson"]["requests_per_s"], 5.0);
  EXPECT_EQ(settings["pools"][0]["replicas"], 2);
  EXPECT_EQ(settings["pools"][0]["router"]["policy"], "random");
  EXPECT_EQ(settings["pools"][0]["batcher"]["max_num_seqs"], 256);  // a default
  EXPECT_EQ(settings["cluster"]["nodes"], 1);                       // another one
}

TEST(SettingsText, leaves_out_what_has_no_value) {
  const TestFolder folder;
  Scenario scenario = load_scenario(folder.write("s.yaml", small_scenario));
  const auto settings = nlohmann::json::parse(settings_text(scenario.spec));
  EXPECT_FALSE(settings.contains("until_s"));
  EXPECT_FALSE(settings["workload"].contains("trace"));
  EXPECT_FALSE(settings["slo"].contains("e2e_s"));
}

TEST(SettingsText, of_groups_of_nodes_says_the_same) {
  const TestFolder folder;
  Scenario scenario =
      load_scenario(folder.write("s.yaml", small_scenario),
                    {{"cluster",
                      "{groups: [{name: a, node: dgx_a100}, {name: h, node: dgx_h100}], links: [{between: [a, h], "
                      "bytes_per_s: 1e9, latency_s: 0.01}]}"},
                     {"pools[0].group", "h"}});
  const std::string settings = settings_text(scenario.spec);
  Scenario again = load_scenario(folder.write("again.json", settings));
  EXPECT_EQ(settings_text(again.spec), settings);
  EXPECT_EQ(again.groups.links()[0].latency_s, 0.01);
}

TEST(SettingsText, of_changed_hardware_says_only_what_is_changed) {
  const TestFolder folder;
  Scenario scenario = load_scenario(folder.write("s.yaml", small_scenario),
                                    {{"gpus.h100_sxm_80g.hbm_bytes_per_s", "3e12"},
                                     {"gpus.h100_sxm_80g.power.idle_w", "75"},  // as in the file
                                     {"nodes.dgx_h100.gpu_link", "pcie"}});
  const std::string settings = settings_text(scenario.spec);
  const auto json = nlohmann::json::parse(settings);
  EXPECT_EQ(json["gpus"], nlohmann::json::parse(R"({"h100_sxm_80g": {"hbm_bytes_per_s": 3e12}})"));
  EXPECT_EQ(json["nodes"], nlohmann::json::parse(R"({"dgx_h100": {"gpu_link": "pcie"}})"));
  EXPECT_FALSE(json.contains("fabrics"));
  Scenario again = load_scenario(folder.write("again.json", settings));
  EXPECT_EQ(settings_text(again.spec), settings);
}

TEST(SettingsText, is_a_scenario_that_says_the_same) {
  const TestFolder folder;
  Scenario scenario = load_scenario(folder.write("s.yaml", small_scenario));
  const std::string settings = settings_text(scenario.spec);
  Scenario again = load_scenario(folder.write("again.json", settings));
  EXPECT_EQ(settings_text(again.spec), settings);
}

}  // namespace servecast::settings_text_test
