#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/unit/cli/servecast.h"

namespace servecast::usage_test {

using testing::HasSubstr;
using testing::StartsWith;

struct Wrong {
  std::string name;
  std::vector<std::string> words;
  std::string message;  // part of it
};

class WrongUsage : public testing::TestWithParam<Wrong> {};

TEST_P(WrongUsage, is_one_clear_line_and_status_2) {
  const Outcome outcome = servecast_with(GetParam().words);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("servecast"));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    words, WrongUsage,
    testing::Values(
        Wrong{"nothing",
              {},
              "name a command: run, sweep, whatif, compare, plan, size, check, list, schema, set, contract, claims, "
              "reproduce, trace, completion"},
        Wrong{"unknown_command", {"rum"}, "unknown command 'rum'; did you mean 'run'?"},
        Wrong{"unknown_subcommand", {"trace", "inof"}, "unknown command 'inof'; did you mean 'info'?"},
        Wrong{"half_a_command", {"trace"}, "servecast trace: name a command: info, convert, make, cache, experts"},
        Wrong{"no_scenario", {"run"}, "servecast run: SCENARIO is required; see 'servecast run --help'"},
        Wrong{"unknown_option",
              {"run", "a.yaml", "--fromat", "json"},
              "unknown option '--fromat'; did you mean '--format'?"},
        Wrong{"unknown_short", {"run", "a.yaml", "-x"}, "unknown option '-x'"},
        Wrong{"too_many", {"run", "a.yaml", "b.yaml"}, "'b.yaml' is one word too many"},
        Wrong{"unknown_format", {"run", "a.yaml", "--format", "xml"}, "unknown format 'xml'. Known: text, json"},
        Wrong{"unknown_progress",
              {"run", "a.yaml", "--progress", "bra"},
              "unknown progress 'bra'; did you mean 'bar'?"},
        Wrong{"unknown_kind", {"list", "gpu"}, "unknown kind 'gpu'; did you mean 'gpus'?"},
        Wrong{"unknown_shell", {"completion", "csh"}, "unknown shell 'csh'"},
        Wrong{"no_shell", {"completion"}, "SHELL is required"},
        Wrong{"option_without_value", {"run", "a.yaml", "--out"}, "--out"},
        Wrong{"option_with_an_empty_value", {"run", "a.yaml", "--out", ""}, "--out: the name is empty"},
        Wrong{"set_without_value", {"run", "a.yaml", "--set", "seed"}, "'seed' sets nothing; write path=value"},
        Wrong{"set_without_path", {"run", "a.yaml", "--set", "=3"}, "'=3' sets nothing; write path=value"},
        Wrong{"unknown_detail",
              {"run", "a.yaml", "--out", "d", "--detail", "step"},
              "unknown detail 'step'; did you mean 'steps'?"},
        Wrong{"no_over", {"sweep", "a.yaml"}, "--over is required"},
        Wrong{
            "over_without_values", {"sweep", "a.yaml", "--over", "seed"}, "'seed' names no values; write path=a,b,c"},
        Wrong{"over_with_a_gap", {"sweep", "a.yaml", "--over", "seed=1,,2"}, "has an empty value"},
        Wrong{"over_twice", {"sweep", "a.yaml", "--over", "seed=1", "--over", "seed=2"}, "'seed' is given twice"},
        Wrong{"no_share", {"sweep", "a.yaml", "--over", "seed=1", "--shard", "0/4"}, "write k/n with k from 1 to n"},
        Wrong{"array_without_out", {"sweep", "a.yaml", "--over", "seed=1", "--emit", "slurm"}, "--out DIR"},
        Wrong{"sweep_of_nothing", {"sweep", "/missing.yaml", "--over", "seed=1"}, "cannot be read"},
        Wrong{"no_change", {"whatif", "a.yaml"}, "--set is required"},
        Wrong{"one_to_compare", {"compare", "a.yaml"}, "WHAT"}, Wrong{"plan_of_nothing", {"plan"}, "say what to do"},
        Wrong{"plan_without_jobs", {"plan", "a.yaml", "--jobs", "0"}, "servecast plan: --jobs: Value 0 not in range"},
        Wrong{"size_for_no_requests",
              {"size", "--model", "llama-3.1-8b", "--rate", "-1", "--ttft-p99", "1"},
              "servecast size: --rate: '-1' is no number above 0"},
        Wrong{"size_for_infinitely_many",
              {"size", "--model", "llama-3.1-8b", "--rate", "inf", "--ttft-p99", "1"},
              "servecast size: --rate: 'inf' is no number above 0"},
        Wrong{"size_of_an_unknown_model",
              {"size", "--model", "llama-9", "--rate", "1", "--ttft-p99", "1"},
              "servecast: unknown llm 'llama-9'. Known: "},
        Wrong{"plan_emits_nonsense",
              {"plan", "a.yaml", "--emit", "bogus"},
              "--emit: unknown output 'bogus'. Known: vllm, kubernetes, slurm"},
        Wrong{"nothing_to_merge", {"plan", "merge", "--out", "x"}, "DIR is required"},
        Wrong{"detail_without_out", {"run", "a.yaml", "--detail", "steps"}, "say where with --out DIR"}),
    [](const auto& test) { return test.param.name; });

TEST(Usage, version_and_help_are_no_errors) {
  EXPECT_EQ(servecast_with({"--version"}).status, 0);
  EXPECT_THAT(servecast_with({"--version"}).out, testing::MatchesRegex("servecast [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_EQ(servecast_with({"--help"}).status, 0);
  EXPECT_THAT(servecast_with({"--help"}).out, HasSubstr("servecast run scenarios/chat.yaml"));
}

TEST(Usage, every_command_has_help_with_an_example) {
  const std::vector<std::vector<std::string>> commands{{"run"},
                                                       {"check"},
                                                       {"list"},
                                                       {"schema"},
                                                       {"set"},
                                                       {"trace", "info"},
                                                       {"trace", "convert"},
                                                       {"trace", "make"},
                                                       {"trace", "cache"},
                                                       {"trace", "experts"},
                                                       {"completion"}};
  for (std::vector<std::string> words : commands) {
    const std::string example = "  servecast " + words.front();
    words.push_back("--help");
    const Outcome outcome = servecast_with(words);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, HasSubstr("Examples:\n" + example)) << words.front();
  }
}

TEST(Usage, a_group_has_no_examples_of_other_commands) {
  const Outcome outcome = servecast_with({"trace", "--help"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("convert"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("servecast run")));
}

TEST(Usage, a_missing_file_is_named) {
  for (const std::string command : {"run", "check"}) {
    const Outcome outcome = servecast_with({command, "nowhere/none.yaml"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "nowhere/none.yaml: cannot be read; give the path of an existing file\n");
  }
}

TEST(Usage, mistakes_are_told_to_a_program_one_object_a_line) {
  TestFolder folder;
  const std::string file = folder.write("bad.yaml", "name: bad\nseeed: 3\n");
  const Outcome outcome = servecast_with({"--problems", "json", "run", file});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  const std::string line = outcome.err.substr(0, outcome.err.find('\n'));
  const nlohmann::json told = nlohmann::json::parse(line);
  EXPECT_EQ(told["file"], file);
  EXPECT_THAT(outcome.err, HasSubstr("\"line\":2,\"column\":1"));
  EXPECT_THAT(outcome.err, HasSubstr("seeed"));

  const nlohmann::json usage = nlohmann::json::parse(servecast_with({"--problems", "json", "rum"}).err);
  EXPECT_EQ(usage["line"], nullptr);
  EXPECT_THAT(usage["message"].get<std::string>(), HasSubstr("did you mean 'run'?"));
  EXPECT_THAT(servecast_with({"--problems", "jsn", "list"}).err, HasSubstr("did you mean 'json'?"));
}

}  // namespace servecast::usage_test
