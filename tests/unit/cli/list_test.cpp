#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/policy/router.h"
#include "sim/cli/list_data.h"
#include "sim/input/pool_spec.h"
#include "sim/input/schema.h"
#include "tests/unit/cli/servecast.h"

namespace servecast {
namespace {

using testing::HasSubstr;

std::vector<std::string> names(const nlohmann::ordered_json& items) {
  std::vector<std::string> out;
  for (const auto& item : items) out.push_back(item["name"]);
  return out;
}

nlohmann::ordered_json listed(const std::string& kind) {
  return nlohmann::ordered_json::parse(servecast_with({"list", kind, "--format", "json"}).out);
}

TEST(List, overview_counts_every_kind) {
  const auto items = nlohmann::json::parse(servecast_with({"list", "--format", "json"}).out);
  EXPECT_EQ(items.size(), listings().size());
  for (const auto& item : items) EXPECT_EQ(item["count"], listed(item["kind"]).size());
}

TEST(List, every_thing_has_a_name_and_shows_in_the_text) {
  for (const Listing& listing : listings()) {
    const auto items = listed(std::string(listing.kind));
    EXPECT_FALSE(items.empty());
    const std::string text = servecast_with({"list", std::string(listing.kind)}).out;
    for (const std::string& name : names(items)) EXPECT_THAT(text, HasSubstr(name)) << listing.kind;
  }
}

TEST(List, policies_come_with_their_settings) {
  EXPECT_EQ(names(listed("routers")), Registry<Router>::names());
  const auto batchers = listed("batchers");
  const auto found = std::ranges::find(batchers, "vllm_v1", [](const auto& item) { return item["name"]; });
  ASSERT_NE(found, batchers.end());
  const auto& tokens = (*found)["settings"][0];
  EXPECT_EQ(tokens["path"], "max_num_batched_tokens");
  EXPECT_EQ(tokens["unit"], "tokens");
  EXPECT_EQ(tokens["default"], 2048);
  EXPECT_EQ(tokens["min"], 1.0);
  EXPECT_THAT(
      servecast_with({"list", "batchers"}).out,
      HasSubstr("- max_num_batched_tokens: token budget of one step (integer, tokens, default 2048, at least 1)"));
}

TEST(List, latencies_are_those_that_a_scenario_can_name) {
  const auto settings = describe_settings<LatencySpec>();
  EXPECT_EQ(names(listed("latencies")), std::ranges::find(settings, "model", &Setting::path)->choices);
}

TEST(List, hardware_comes_in_si_units) {
  const auto gpus = listed("gpus");
  const auto h100 = std::ranges::find(gpus, "h100_sxm_80g", [](const auto& item) { return item["name"]; });
  ASSERT_NE(h100, gpus.end());
  EXPECT_NEAR((*h100)["bf16_flop_per_s"].get<double>(), 989e12, 1e12);
  EXPECT_THAT(servecast_with({"list", "gpus"}).out, HasSubstr("3.35 TB/s"));
}

}  // namespace
}  // namespace servecast
