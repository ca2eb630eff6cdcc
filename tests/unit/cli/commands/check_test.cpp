#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/unit/cli/servecast.h"
#include "tests/unit/small_scenario.h"

namespace servecast::check_test {

using testing::HasSubstr;

TEST(Check, tells_what_would_run) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  const Outcome outcome = servecast_with({"check", file});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(file + ": no mistakes"));
  EXPECT_THAT(outcome.out, HasSubstr("1 x dgx_h100, 2 of 8 GPUs used"));
  EXPECT_THAT(outcome.out, HasSubstr("pool chat: llama-3.1-8b in bf16"));
  EXPECT_THAT(outcome.out, HasSubstr("16.1 GB weights"));  // 8.03e9 parameters of 2 bytes
}

TEST(Check, tells_groups_of_nodes_apart) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  const std::string groups = "cluster={groups: [{name: old, node: dgx_a100, nodes: 3}, {name: new, node: dgx_h100}]}";
  const Outcome outcome = servecast_with({"check", file, "--set", groups});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("cluster   old: 3 x dgx_a100, 0 of 24 GPUs used\n"
                                     "          new: 1 x dgx_h100, 2 of 8 GPUs used\n"));
  const auto report = nlohmann::json::parse(
      servecast_with({"check", file, "--set", groups, "--set", "cluster.groups[1].nodes=2", "--format", "json"}).out);
  EXPECT_EQ(report["pools"][0]["group"], "new");
  EXPECT_EQ(report["settings"]["cluster"]["groups"][1]["nodes"], 2);
  EXPECT_FALSE(report["settings"]["cluster"].contains("node"));
}

/// A study, however it is broken: in its own keys, in a setting of a dimension, in one of the base scenario.
TEST(Check, a_study_is_checked_by_sizing_its_designs) {
  const TestFolder folder;
  folder.write("s.yaml", small_scenario);
  const std::string head = "scenario: s.yaml\nobjectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n";
  const std::string space = "space: [{name: n, path: 'pools[0].replicas', from: 7, to: 10}]\n";
  const Outcome good = servecast_with({"check", folder.write("good.yaml", head + space)});
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("good.yaml: no mistakes"));
  EXPECT_THAT(good.out, HasSubstr("Of 4 designs 2 cannot be built and 2 need simulations"));  // 8 GPUs in the node
  const auto complaint = [&](const std::string& text) {
    const Outcome bad = servecast_with({"check", folder.write("bad.yaml", text)});
    EXPECT_EQ(bad.status, 2);
    return bad.err;
  };
  EXPECT_THAT(complaint(head + "goals: least_cost\n" + space), HasSubstr("bad.yaml:3:1: unknown key 'goals'"));
  EXPECT_THAT(complaint(head + "space: [{name: n, path: 'pools[0].replicaz', values: [1]}]\n"),
              HasSubstr("did you mean 'replicas'?"));
  EXPECT_THAT(complaint(head + "set: ['seed=x']\n" + space), HasSubstr("seed"));
  const Outcome json = servecast_with({"check", folder.write("good.yaml", head + space), "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["designs"], 4);
}

TEST(Check, tells_programs_the_same) {
  const TestFolder folder;
  const Outcome outcome = servecast_with({"check", folder.write("s.yaml", small_scenario), "--format", "json"});
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["ok"], true);
  EXPECT_TRUE(report["problems"].empty());
  EXPECT_EQ(report["settings"]["pools"][0]["queue"]["policy"], "fcfs");  // not in the file: a default
  const auto& pool = report["pools"][0];
  EXPECT_EQ(pool["gpus"], 2);
  // 131,072 bytes per token: 32 layers x 8 KV heads x 128 x keys and values x 2 bytes
  EXPECT_EQ(pool["kv_pool_tokens"], static_cast<std::int64_t>(pool["kv_pool_bytes"].get<double>() / 131072));
}

// Prompts of 200 tokens, and a batcher that starts none longer than its budget.
TEST(Check, warns_of_prompts_that_will_be_rejected) {
  const TestFolder folder;
  const auto with_budget = [&](int tokens) {
    return folder.write("s.yaml", small_scenario +
                                      "    batcher: {policy: vllm_v0, max_num_seqs: 16, max_num_batched_tokens: " +
                                      std::to_string(tokens) + "}\n");
  };
  EXPECT_THAT(servecast_with({"check", with_budget(200)}).out, testing::Not(HasSubstr("warning")));
  const Outcome outcome = servecast_with({"check", with_budget(199)});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("warning: pool 'chat': 50 of the first 50 requests have prompts longer than 199 "
                                     "tokens, the most that batcher 'vllm_v0' starts; they will be rejected"));
  const Outcome json = servecast_with({"check", with_budget(199), "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["warnings"].size(), 1u);
}

TEST(Check, finds_every_mistake_at_once) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml",
                                        "sede: 1\n"
                                        "workload: {generate: {requests: ten}}\n"
                                        "cluster: {node: dgx_h100, nodes: -1}\n"
                                        "pools:\n"
                                        "  - name: chat\n"
                                        "    llm: llama-3.1-8b\n"
                                        "    router: {policy: rnd}\n");
  const Outcome text = servecast_with({"check", file});
  EXPECT_EQ(text.status, 2);
  EXPECT_THAT(text.err, HasSubstr(file + ":1:1: unknown key 'sede'"));
  EXPECT_THAT(text.err, HasSubstr(file + ":2:33: 'requests' must be a whole number, not 'ten'"));
  EXPECT_THAT(text.err, HasSubstr(file + ":3:34: 'nodes' must be at least 1 and at most 16384, not -1"));
  EXPECT_THAT(text.err, HasSubstr(file + ":5:5: 'pools[0].gpu' is missing"));
  EXPECT_THAT(text.err, HasSubstr(file + ":7:22: unknown router 'rnd'"));

  const auto report = nlohmann::json::parse(servecast_with({"check", file, "--format", "json"}).out);
  EXPECT_EQ(report["problems"].size(), static_cast<std::size_t>(std::ranges::count(text.err, '\n')));
  const auto& router = report["problems"].back()["path"] == "sede" ? report["problems"][report["problems"].size() - 2]
                                                                   : report["problems"].back();
  EXPECT_EQ(router["file"], file);
  EXPECT_EQ(router["line"], 7);
  EXPECT_EQ(router["column"], 22);
  EXPECT_EQ(router["path"], "pools[0].router.policy");
}

TEST(Check, names_the_option_that_is_wrong) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  const Outcome outcome = servecast_with({"check", file, "--set", "seed=x", "--set", "pools[0].replicas=3"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "--set seed=x: 'seed' must be a whole number, not 'x'\n");
  const auto report =
      nlohmann::json::parse(servecast_with({"check", file, "--set", "seed=x", "--format", "json"}).out);
  EXPECT_TRUE(report["problems"][0]["line"].is_null());
  EXPECT_EQ(report["problems"][0]["path"], "seed");
}

/// Of a scenario, as a user who copies it to another folder must know: also those it finds beside itself.
TEST(Check, lists_the_files_that_it_reads) {
  const TestFolder folder;
  folder.write("two.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,10,5\n1,10,5\n");
  std::string text = small_scenario;
  const std::size_t at = text.find("workload:");
  text.replace(at, text.find("slo:") - at, "workload: {trace: {path: two.csv}}\n");
  const std::string file = folder.write("s.yaml", text);
  const auto report = nlohmann::json::parse(servecast_with({"check", file, "--format", "json"}).out);
  const std::vector<std::string> files = report["files"];
  EXPECT_THAT(files, testing::Contains(file));
  EXPECT_THAT(files, testing::Contains(folder / "two.csv"));
  for (const std::string& each : files) EXPECT_TRUE(std::filesystem::exists(each)) << each;
}

/// An editor has not saved it yet: places are those of the text, paths count from the scenario's folder.
TEST(Check, reads_a_text_that_is_not_saved) {
  const TestFolder folder, elsewhere;
  const std::string file = folder / "not_there_yet.yaml";
  const std::string wrong =
      elsewhere.write("t.yaml", "seed: -1\n" + small_scenario.substr(small_scenario.find("workload")));
  EXPECT_THAT(servecast_with({"check", file, "--text", wrong}).err, HasSubstr(file + ":1:7: 'seed' must be"));
  const std::string right = elsewhere.write("t.yaml", small_scenario);
  const Outcome outcome = servecast_with({"check", file, "--text", right});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(servecast_with({"check", file, "--text", elsewhere / "no"}).err, HasSubstr("cannot be read"));
  EXPECT_EQ(servecast_with({"check", file}).status, 2);  // the text is gone with its command
}

}  // namespace servecast::check_test
