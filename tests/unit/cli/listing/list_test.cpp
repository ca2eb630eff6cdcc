#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "models/policy/router.h"
#include "sim/cli/listing/list_data.h"
#include "sim/input/specs/pool_spec.h"
#include "sim/input/yaml/schema.h"
#include "tests/unit/cli/servecast.h"

namespace servecast::list_test {

using testing::HasSubstr;

std::vector<std::string> names(const nlohmann::ordered_json& items) {
  std::vector<std::string> out;
  for (const auto& item : items) out.push_back(item["name"]);
  return out;
}

nlohmann::ordered_json listed(const std::string& kind) {
  return nlohmann::ordered_json::parse(servecast_with({"list", kind, "--format", "json"}).out);
}

/// Null where there is none of this name.
nlohmann::ordered_json listed(const std::string& kind, const std::string& name) {
  for (const auto& item : listed(kind))
    if (item["name"] == name) return item;
  return nullptr;
}

TEST(List, overview_counts_every_kind) {
  const auto items = nlohmann::json::parse(servecast_with({"list", "--format", "json"}).out);
  EXPECT_EQ(items.size(), listings().size());
  for (const auto& item : items) EXPECT_EQ(item["count"], listed(item["kind"]).size());
}

TEST(List, every_thing_has_a_name_and_shows_in_the_text) {
  for (const Listing& listing : listings()) {
    const auto items = listed(std::string(listing.kind));
    EXPECT_TRUE(!items.empty() || listing.kind == "plugins") << listing.kind << "; plug-ins come with none";
    const std::string text = servecast_with({"list", std::string(listing.kind)}).out;
    for (const std::string& name : names(items)) EXPECT_THAT(text, HasSubstr(name)) << listing.kind;
  }
}

TEST(List, policies_come_with_their_settings) {
  EXPECT_EQ(names(listed("routers")), Registry<Router>::names());
  const auto tokens = listed("batchers", "vllm_v1").at("settings").at(0);
  EXPECT_EQ(tokens["path"], "max_num_batched_tokens");
  EXPECT_EQ(tokens["unit"], "tokens");
  EXPECT_EQ(tokens["default"], 2048);
  EXPECT_EQ(tokens["min"], 1.0);
  EXPECT_THAT(
      servecast_with({"list", "batchers"}).out,
      HasSubstr("- max_num_batched_tokens: token budget of one step (integer, tokens, default 2048, at least 1)"));
}

/// Folders of models/policy/ with a header beside them hold one policy each .cpp, named as a scenario names it.
std::map<std::string, std::filesystem::path> policy_files() {
  std::map<std::string, std::filesystem::path> files;
  for (const auto& kind : std::filesystem::directory_iterator(SERVECAST_SOURCE_DIR "/models/policy"))
    if (std::filesystem::exists(kind.path().string() + ".h"))  // else it holds what policies share
      for (const auto& file : std::filesystem::directory_iterator(kind.path()))
        if (file.path().extension() == ".cpp")
          files.emplace(kind.path().filename().string() + "/" + file.path().stem().string(), file.path());
  return files;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A policy is a file of its own, is listed, and a page of docs/policies/ says what it does.
TEST(List, every_policy_is_a_file_is_listed_and_is_explained) {
  std::string pages;
  for (const auto& page : std::filesystem::directory_iterator(SERVECAST_SOURCE_DIR "/docs/policies"))
    pages += text_of(page.path());
  std::set<std::string> all;
  for (const Listing& listing : listings())
    if (const auto items = listing.items(); !items.empty() && items.at(0).contains("settings"))
      for (const std::string& name : names(items)) all.insert(name);
  for (const auto& [place, file] : policy_files()) {
    const std::string name = file.stem().string();
    EXPECT_TRUE(all.contains(name)) << place << " is not in `servecast list`";
    EXPECT_THAT(pages, HasSubstr("`" + name + "`")) << place;
    EXPECT_THAT(text_of(file), testing::ContainsRegex("\"" + name + "\"")) << place << " registers another name";
  }
  EXPECT_GT(policy_files().size(), 60u);
}

TEST(List, latencies_are_those_that_a_scenario_can_name) {
  const auto settings = describe_settings<LatencySpec>();
  EXPECT_EQ(names(listed("latencies")), std::ranges::find(settings, "model", &Setting::path)->choices);
}

TEST(List, markdown_is_a_table_of_names_and_what_each_is) {
  const std::string text = servecast_with({"list", "queues", "--format", "markdown"}).out;
  EXPECT_THAT(text, testing::StartsWith("| name | what it is |\n|---|---|\n| `earliest_deadline` | "));
  for (const std::string& name : names(listed("queues"))) EXPECT_THAT(text, HasSubstr("\n| `" + name + "` | "));
}

TEST(List, hardware_comes_in_si_units) {
  EXPECT_NEAR(listed("gpus", "h100_sxm_80g")["peaks"]["bf16_flop_per_s"].get<double>(), 989e12, 1e12);
  EXPECT_THAT(servecast_with({"list", "gpus"}).out, HasSubstr("3.35 TB/s"));
}

TEST(List, hardware_and_engines_come_with_all_that_their_files_say) {
  const auto engine = listed("engines", "vllm-0.15");
  EXPECT_EQ(engine["step"]["attention_in_one_call"], true);
  EXPECT_FALSE(engine["errors"].empty());
  EXPECT_EQ(listed("gpus", "a100_sxm_80g")["multiprocessors"], 108);
  EXPECT_EQ(listed("gpus", "gh200_96g")["kernels_from"], "h100_sxm_80g");
  EXPECT_EQ(listed("gpus", "b200_sxm_180g")["kernels_from"], "b200_sxm_180g");
  EXPECT_EQ(listed("gpus", "h200_sxm_141g")["clock_fraction"], 1);
  EXPECT_NEAR(listed("gpus", "gb200_186g")["clock_fraction"].get<double>(), 0.9, 0.005);
  EXPECT_THAT(servecast_with({"list", "engines"}).out, HasSubstr("1.70 x"));
  EXPECT_THAT(servecast_with({"list", "engines", "--format", "markdown"}).out,
              HasSubstr(" step.eager_operation_s |"));
}

}  // namespace servecast::list_test
