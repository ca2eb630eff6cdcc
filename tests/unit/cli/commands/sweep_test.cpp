#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/unit/cli/servecast.h"
#include "tests/unit/in_child.h"
#include "tests/unit/small_scenario.h"

namespace servecast::sweep_test {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class Sweep : public testing::Test {
 protected:
  /// servecast sweep, as JSON; this process never runs the engine itself.
  json sweep(std::vector<std::string> words) const {
    words.insert(words.begin(), {"sweep", file_});
    words.insert(words.end(), {"--format", "json"});
    const Outcome outcome = servecast_with(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out);
  }
  json run(std::vector<std::string> words) const {
    words.insert(words.begin(), {"run", file_});
    words.insert(words.end(), {"--format", "json"});
    return json::parse(in_child([&] { return servecast_with(words).out; }));
  }

  TestFolder folder_{};
  std::string file_ = folder_.write("small.yaml", small_scenario);
};

TEST_F(Sweep, a_point_is_what_run_gives) {
  const json table = sweep({"--over", "pools[0].replicas=1,2", "--over", "seed=3,4"});
  ASSERT_EQ(table["points"].size(), 4u);
  const json& point = table["points"][2];
  EXPECT_EQ(point["set"], json({"pools[0].replicas=2", "seed=3"}));
  const json summary = run({"--set", "pools[0].replicas=2", "--set", "seed=3"});
  EXPECT_EQ(point["figures"]["requests_per_s"], summary["requests_per_s"]);
  EXPECT_EQ(point["figures"]["ttft_mean_s"], summary["ttft_s"]["mean"]);
  EXPECT_EQ(point["figures"]["tpot_p99_s"], summary["tpot_s"]["p99"]);
  EXPECT_EQ(point["figures"]["usd_per_million_output_tokens"], summary["cost"]["usd_per_million_output_tokens"]);
  EXPECT_EQ(point["figures"]["energy_j"], summary["energy"]["j_total"]);
  EXPECT_EQ(point["saturated"], summary["saturated"]);
  EXPECT_NE(table["points"][0]["figures"], point["figures"]);
  EXPECT_NE(table["points"][3]["figures"], point["figures"]);
}

TEST_F(Sweep, replicates_are_those_of_run) {
  const json point = sweep({"--over", "pools[0].replicas=2", "--replicates", "4"})["points"][0];
  const json summary = run({"--replicates", "4"});
  EXPECT_EQ(point["p05"]["ttft_p99_s"], summary["p05"]["ttft_s"]["p99"]);
  EXPECT_EQ(point["p95"]["e2e_mean_s"], summary["p95"]["e2e_s"]["mean"]);
  EXPECT_LT(point["p05"]["e2e_mean_s"], point["p95"]["e2e_mean_s"]);
}

TEST_F(Sweep, a_point_that_cannot_be_is_a_row_that_says_why) {
  const json table = sweep({"--over", "pools[0].llm=llama-3.1-70b,llama-3.1-8b"});
  EXPECT_THAT(table["points"][0]["failure"].get<std::string>(), HasSubstr("does not fit"));
  EXPECT_FALSE(table["points"][0].contains("figures"));
  EXPECT_TRUE(table["points"][1].contains("figures"));
  const Outcome text = servecast_with({"sweep", file_, "--over", "pools[0].llm=llama-3.1-70b,llama-3.1-8b"});
  EXPECT_THAT(text.out, HasSubstr("failed (1)"));
  EXPECT_THAT(text.out, HasSubstr("\n(1) "));
}

TEST_F(Sweep, a_point_that_crashes_is_named_and_the_others_are_there) {
  // Weights that come after 30,000 years: every second is recorded, which takes more memory than there is.
  const std::string file = folder_.write(
      "fails.yaml", small_scenario + std::string("failures: {events: [{at_s: 0, storage: true, down_s: 1}]}\n"));
  const Outcome outcome =
      servecast_with({"sweep", file, "--set", "pools[0].start=cold", "--over", "failures.events[0].down_s=1e12,2"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("the run of " + file +
                                     " with pools[0].start=cold, failures.events[0].down_s=1e12 crashed: "));
  EXPECT_THAT(outcome.out, HasSubstr("failed (1)"));
  EXPECT_THAT(outcome.out, HasSubstr("\n2 "));
}

TEST_F(Sweep, where_no_point_can_be_it_is_a_mistake) {
  const Outcome outcome = servecast_with({"sweep", file_, "--over", "pools[0].replicsa=1,2"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("no point of the sweep can run"));
  EXPECT_THAT(outcome.err, HasSubstr("replicas"));  // did you mean
}

TEST_F(Sweep, csv_has_a_column_for_each_setting_and_figure) {
  const std::string csv = folder_ / "s.csv";
  sweep({"--over", "pools[0].replicas=1,2", "--csv", csv, "--replicates", "2"});
  const std::string text = text_of(csv);
  EXPECT_THAT(text, StartsWith("pools[0].replicas,requests_per_s,requests_per_s_p05,requests_per_s_p95,"));
  EXPECT_THAT(text, HasSubstr(",saturated,failure\n1,"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
}

TEST_F(Sweep, a_page_has_the_values_of_one_setting_as_columns) {
  const std::vector<std::string> words{"sweep",     file_,
                                       "--over",    "pools[0].replicas=1,2",
                                       "--over",    "pools[0].llm=llama-3.1-8b,llama-3.1-70b",
                                       "--figures", "requests_per_s",
                                       "--format",  "markdown"};
  std::vector<std::string> across = words;
  across.insert(across.end(), {"--across", "pools[0].replicas"});
  const Outcome page = servecast_with(across);
  EXPECT_THAT(page.out, StartsWith("| llm | requests/s, 1 | requests/s, 2 |\n|---|---|---|\n| llama-3.1-8b | "));
  EXPECT_THAT(page.out, HasSubstr("\n| llama-3.1-70b | (1) | (2) |\n\n(1) "));
  EXPECT_THAT(servecast_with(words).out, StartsWith("| replicas | llm | requests/s |\n|---|---|---|\n| 1 | "));
}

TEST_F(Sweep, refuses_columns_of_what_does_not_vary) {
  std::vector<std::string> words{"sweep", file_, "--over", "seed=1,2", "--across", "pools[0].replicas"};
  EXPECT_THAT(servecast_with(words).err, HasSubstr("--across would be ignored: it goes with --format markdown"));
  words.insert(words.end(), {"--format", "markdown"});
  EXPECT_THAT(servecast_with(words).err, HasSubstr("is none of the settings of --over"));
}

TEST_F(Sweep, refuses_a_csv_in_place_of_its_scenario) {
  const std::string before = text_of(file_);
  const Outcome outcome = servecast_with({"sweep", file_, "--over", "seed=1,2", "--csv", file_});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("--csv: '" + file_ + "' is read by this run; give another file"));
  EXPECT_EQ(text_of(file_), before);
}

/// Changes what the results file says, so that it shows where it was read.
void spoil(const std::string& file) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "UPDATE results SET summary = json_set(summary, '$.requests_per_s', 77.0)",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
}

TEST_F(Sweep, what_out_holds_is_not_simulated_again) {
  const std::string out = folder_ / "study";
  const json first = sweep({"--over", "pools[0].replicas=1,2", "--out", out});
  EXPECT_EQ(sweep({"--over", "pools[0].replicas=1,2", "--out", out}), first);
  spoil(out + "/plan.sqlite");
  const json second = sweep({"--over", "pools[0].replicas=2,4", "--out", out});
  EXPECT_EQ(second["points"][0]["figures"]["requests_per_s"], 77.0);
  EXPECT_LT(second["points"][1]["figures"]["requests_per_s"], 10.0);
  EXPECT_EQ(json::parse(text_of(out + "/sweep.json")), second);
}

TEST_F(Sweep, a_result_belongs_to_the_files_it_rests_on) {
  const std::string histogram = folder_.write("tokens.csv", "value,weight\n200,1\n");
  const std::vector<std::string> words{
      "--over", "pools[0].replicas=1",
      "--set",  "workload.generate.prompt_tokens={histogram: {file: " + histogram + "}}",
      "--out",  folder_ / "study"};
  const json first = sweep(words);
  folder_.write("tokens.csv", "value,weight\n900,1\n");
  const json second = sweep(words);
  EXPECT_LT(first["points"][0]["figures"]["ttft_mean_s"], second["points"][0]["figures"]["ttft_mean_s"]);
  folder_.write("tokens.csv", "value,weight\n200,1\n");
  EXPECT_EQ(sweep(words), first);
}

TEST_F(Sweep, shares_joined_are_the_whole) {
  const std::vector<std::string> over{"--over", "pools[0].replicas=1,2,3,4", "--over", "seed=1,2,3"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), over.begin(), over.end());
    return sweep(more);
  };
  std::size_t points = 0;
  std::vector<std::string> merge{"plan", "merge", "--out", folder_ / "all"};
  for (const std::string k : {"1", "2", "3"}) {
    points += with({"--shard", k + "/3", "--out", folder_ / k})["points"].size();
    merge.push_back(folder_ / k);
  }
  EXPECT_EQ(points, 12u);
  const Outcome merged = servecast_with(merge);
  EXPECT_EQ(merged.out, "12 results, 12 of them new\n") << merged.err;
  const json whole = with({});
  EXPECT_EQ(with({"--out", folder_ / "all"}), whole);
  spoil(folder_ / "all/plan.sqlite");  // every row came from the shares
  for (const json& point : with({"--out", folder_ / "all"})["points"])
    EXPECT_EQ(point["figures"]["requests_per_s"], 77.0);
}

TEST_F(Sweep, a_share_without_points_is_an_empty_table) {
  EXPECT_EQ(sweep({"--over", "seed=1", "--shard", "1/1"})["points"].size(), 1u);
  std::size_t points = 0;
  for (const std::string k : {"1", "2", "3", "4"})
    points += sweep({"--over", "seed=1", "--shard", k + "/4"})["points"].size();
  EXPECT_EQ(points, 1u);
}

TEST_F(Sweep, a_job_array_has_a_task_per_share) {
  const Outcome outcome = servecast_with({"sweep", file_, "--over", "slo.ttft_s=1,2", "--set", "name=it's", "--out",
                                          "/shared/my study", "--emit", "slurm", "--shards", "5"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("#!/bin/sh\n#SBATCH"));
  EXPECT_THAT(outcome.out, HasSubstr("#SBATCH --array=1-5\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("--set 'name=it'\\''s' --over slo.ttft_s=1,2 --shard \"$SLURM_ARRAY_TASK_ID/5\""));
  EXPECT_THAT(outcome.out, HasSubstr("--out '/shared/my study'/shard-\"$SLURM_ARRAY_TASK_ID\""));
}

TEST_F(Sweep, a_run_of_the_beginning_takes_that_many_requests) {
  const json summary = run({"--set", "first_requests=20"});
  EXPECT_EQ(summary["requests"]["arrived"], 20);
  const json all = run({});
  EXPECT_EQ(all["requests"]["arrived"], 50);
  EXPECT_LT(summary["duration_s"], all["duration_s"]);
}

}  // namespace servecast::sweep_test
