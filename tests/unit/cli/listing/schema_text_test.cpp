#include "sim/cli/listing/schema_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "sim/input/scenario/scenario.h"
#include "tests/unit/cli/servecast.h"

namespace servecast::schema_text_test {

using testing::HasSubstr;

const nlohmann::json& keys() {
  static const nlohmann::json json = nlohmann::json::parse(servecast_with({"schema", "--format", "json"}).out);
  return json;
}

const nlohmann::json& key(const std::string& path) {
  return *std::ranges::find_if(keys(), [&](const nlohmann::json& item) { return item["path"] == path; });
}

TEST(SchemaText, docs_are_up_to_date) {
  const std::string file = std::string(SERVECAST_SOURCE_DIR) + "/docs/scenario.md";
  EXPECT_EQ(text_of(file), servecast_with({"schema", "--format", "markdown"}).out)
      << "run: servecast schema --format markdown > docs/scenario.md";
}

TEST(SchemaText, docs_of_studies_are_up_to_date) {
  const std::string file = std::string(SERVECAST_SOURCE_DIR) + "/docs/study.md";
  const std::string page = servecast_with({"schema", "--of", "study", "--format", "markdown"}).out;
  EXPECT_EQ(text_of(file), page) << "run: servecast schema --of study --format markdown > docs/study.md";
  for (const char* key : {"| `draws_fraction` |", "| `usd_per_hour` |", "## `space[]`", "| `when` |"})
    EXPECT_THAT(page, HasSubstr(key));
  EXPECT_THAT(page, testing::Not(HasSubstr("`base.pools")));
}

std::string policy_of(const nlohmann::json& item) {
  return item.contains("only_with") ? item["only_with"]["value"].get<std::string>() : "";
}

/// What the page for people has: rows, as path and policy, and maps that are said to have another one's keys.
struct Page {
  std::set<std::string> headings, rows;
  std::multimap<std::string, std::string> alike;  // path -> policy

  bool has(const std::string& path, const std::string& policy) const {
    return rows.contains(path + " " + policy) || std::ranges::any_of(alike, [&](const auto& map) {
             return path.starts_with(map.first + ".") && (map.second.empty() || map.second == policy);
           });
  }
};

Page read_page(const std::string& text) {
  const std::regex heading("##+ (?:`([^`]+)`(?:.*policy: (\\w+).*)?|The top of the file)"),
      row("\\| `(\\w+|<name>)` \\|.*");
  Page page;
  std::string map, policy;
  std::smatch parts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, parts, heading)) {
      EXPECT_TRUE(page.headings.insert(line).second) << line;
      map = parts[1], policy = parts[2];
    } else if (std::regex_match(line, parts, row))
      page.rows.insert((map.empty() ? "" : map + ".") + parts[1].str() + " " + policy);
    else if (line.starts_with("The same keys as"))
      page.alike.emplace(map, policy);
  }
  return page;
}

TEST(SchemaText, the_page_has_every_key_below_headings_of_their_own) {
  const Page page = read_page(servecast_with({"schema", "--format", "markdown"}).out);
  for (const auto& item : keys())
    EXPECT_TRUE(page.has(item["path"], policy_of(item))) << item["path"] << " of policy " << policy_of(item);
}

TEST(SchemaText, every_key_is_there_once_and_explained) {
  std::set<std::string> seen;
  for (const auto& item : keys()) {
    const std::string with = policy_of(item);
    EXPECT_TRUE(seen.insert(item["path"].get<std::string>() + " " + with).second) << item["path"];
    EXPECT_NE(item["help"], "") << item["path"];
  }
  for (const std::string path : {"seed ", "slo.ttft_s ", "cluster.node ", "pools[].router.policy ",
                                 "workload.trace.rate_scale ", "pools[].batcher.max_num_seqs vllm_v1"})
    EXPECT_TRUE(seen.contains(path)) << path;
}

TEST(SchemaText, json_tells_all_about_a_key) {
  EXPECT_EQ(key("slo.target_fraction")["default"], 0.99);
  EXPECT_EQ(key("slo.target_fraction")["max"], 1.0);
  EXPECT_EQ(key("slo.ttft_s")["unit"], "s");
  EXPECT_EQ(key("slo.ttft_s")["above_min"], true);
  EXPECT_FALSE(key("slo.ttft_s").contains("default"));
  EXPECT_EQ(key("pools[].llm")["required"], true);
  EXPECT_EQ(key("workload.trace")["optional"], true);
  EXPECT_EQ(key("pools[].router.policy")["default"], "least_loaded");
  EXPECT_EQ(key("pools[].router.policy")["alternatives"].size(), key("pools[].router.policy")["choices"].size());
  EXPECT_EQ(key("pools[].batcher.max_num_seqs")["only_with"]["path"], "pools[].batcher.policy");
}

// Also of what stands in a map, or a list, of the policy: the choice is further up then.
TEST(SchemaText, json_names_the_choice_that_a_key_belongs_to) {
  for (const auto& item : keys()) {
    if (!item.contains("only_with")) continue;
    const std::string choice = item["only_with"]["path"];
    ASSERT_TRUE(std::ranges::any_of(keys(), [&](const nlohmann::json& one) { return one["path"] == choice; }))
        << item;
    const auto offered = key(choice)["choices"].get<std::set<std::string>>();
    EXPECT_TRUE(offered.contains(item["only_with"]["value"].get<std::string>())) << item;
    EXPECT_TRUE(item["path"].get<std::string>().starts_with(choice.substr(0, choice.size() - 6))) << item;
  }
}

TEST(SchemaText, plain_text_has_every_path) {
  const std::string text = servecast_with({"schema"}).out;
  for (const auto& item : keys()) EXPECT_THAT(text, HasSubstr(item["path"].get<std::string>() + "\n"));
  EXPECT_THAT(text, HasSubstr("pools[].batcher.max_num_batched_tokens\n"
                              "    integer, tokens; default 2048; at least 1; with policy: vllm_v1\n"));
}

TEST(SchemaText, a_path_picks_the_keys_at_and_below_it) {
  const std::string text = servecast_with({"schema", "pools[].queue"}).out;
  EXPECT_TRUE(text.starts_with("pools[].queue\n")) << text;
  EXPECT_THAT(text, HasSubstr("pools[].queue.policy\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("pools[].router")));
  for (const char* same : {"pools[0].queue", "pools.queue"}) EXPECT_EQ(servecast_with({"schema", same}).out, text);
  EXPECT_THAT(servecast_with({"schema", "pools[].queue", "--format", "markdown"}).out,
              testing::StartsWith("\n### `pools[].queue`\n"));
  EXPECT_THAT(servecast_with({"schema", "budgets", "--of", "study"}).out, HasSubstr("budgets.usd_per_hour\n"));
}

TEST(SchemaText, a_path_that_is_not_there_names_the_nearest) {
  const auto wrong = servecast_with({"schema", "pools[].quee"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("unknown key 'pools[].quee'; did you mean 'pools[].queue'?"));
  EXPECT_EQ(servecast_with({"schema", "ttft_s", "--of", "figures"}).status, 2);
}

TEST(SchemaText, the_page_begins_with_links_to_its_sections) {
  const std::string text = servecast_with({"schema", "--format", "markdown"}).out;
  EXPECT_THAT(text, HasSubstr("| [`pools[].queue`](#poolsqueue) |"));
  EXPECT_THAT(text, HasSubstr("[`fcfs`](#poolsqueue-policy-fcfs)"));
  EXPECT_THAT(text, HasSubstr("[`retrieval.search`](#gatewaysearch-gatewaypolicy-retrieval)"));
}

TEST(SchemaText, maps_that_are_alike_are_described_once) {
  const std::string text = servecast_with({"schema", "--format", "markdown"}).out;
  EXPECT_THAT(text, HasSubstr("## `workload.mix[].trace`\n\nReplay a recorded trace. May be left out as a whole.\n\n"
                              "The same keys as [`workload.trace`](#workloadtrace).\n"));
  EXPECT_THAT(text, HasSubstr("\n### `pools[].router`: `policy: round_robin`\n"));
  EXPECT_THAT(text, HasSubstr("\n## `gateway[].embedding` (`gateway[].policy: semantic_cache`)\n\n"
                              "Of the request.\n\n"
                              "The same keys as [`gateway[].embedding` (`gateway[].policy: retrieval`)]"
                              "(#gatewayembedding-gatewaypolicy-retrieval).\n"));
  EXPECT_THAT(text,
              HasSubstr("The same keys as [`pools[].kv_cache.eviction` (`pools[].kv_cache.policy: paged_prefix`)]"));
}

}  // namespace servecast::schema_text_test
