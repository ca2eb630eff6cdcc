#include "sim/input/library/latency_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/message_of.h"

namespace servecast::latency_tables_test {

using testing::HasSubstr;
namespace fs = std::filesystem;

fs::path runs() {
  const char* given = std::getenv("SERVECAST_DATA");
  return (given ? fs::path(given) : fs::path(SERVECAST_SOURCE_DIR "/../shared/data")) / "vidur_runs";
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::string text;
  std::array<char, 65536> part{};
  gzFile in = gzopen(file.c_str(), "rb");
  for (int got = 0; (got = gzread(in, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  gzclose(in);
  return split(text, '\n');
}

/// Rebuilds what each batch worked on: chunks from the list of its requests, prefixes from what was done before.
class Replay {
 public:
  Replay(const fs::path& inputs, std::size_t requests) : prompt_(requests), done_(requests) {
    const auto lines = lines_of(inputs);
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const auto row = split(lines[i], ',');
      prompt_.at(std::stoul(row[0])) = std::stol(row[2]);
    }
  }

  StepWork batch(const std::vector<std::string>& row) {
    StepWork work;
    work.decode_sequences = std::stol(row[7]);
    work.decode_kv_tokens = std::stol(row[8]);
    for (const std::string& entry : split(row[9], ';')) {
      const auto pair = split(entry, ':');
      const std::size_t id = std::stoul(pair[0]);
      const std::int64_t tokens = std::stol(pair[1]);
      if (done_.at(id) < prompt_.at(id)) work.add_chunk(tokens, done_.at(id));
      done_.at(id) += tokens;
      if (done_.at(id) == prompt_.at(id)) done_.at(id) += 1;  // a finished prompt gives a token
    }
    return work;
  }

 private:
  std::vector<std::int64_t> prompt_;
  std::vector<std::int64_t> done_;
};

class ReferenceRun : public testing::TestWithParam<std::string> {};

// Every batch of a run of the Vidur simulator, from its sums and the tables it looked up.
TEST_P(ReferenceRun, EveryBatchTakesAsLongAsThere) {
  const fs::path batches = runs() / ("cl34_" + GetParam() + "_batches.csv.gz");
  const fs::path inputs = runs() / ("cl34_" + GetParam() + "_input.csv.gz");
  if (!fs::exists(batches)) GTEST_SKIP() << "needs SERVECAST_DATA";
  const auto model = make_step_tables(load_step_tables((runs() / "cl34_tables").string(), {}),
                                      {.stages = 1, .layers_per_stage = 48});
  Replay replay(inputs, lines_of(inputs).size() - 1);
  const auto lines = lines_of(batches);
  ASSERT_GT(lines.size(), 20u);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto row = split(lines[i], ',');
    const StepWork work = replay.batch(row);
    ASSERT_EQ(work.tokens(), std::stol(row[5])) << "batch " << row[0];
    const StageTime t = model->stage(work, 0);
    ASSERT_NEAR(t.seconds, std::stod(row[3]) - std::stod(row[2]), 1e-9) << "batch " << row[0];
    ASSERT_FALSE(t.extrapolated) << "batch " << row[0];
  }
}
INSTANTIATE_TEST_SUITE_P(Vidur, ReferenceRun,
                         testing::Values("sarathi_fixed_n20", "sarathi_r1_n1000", "vllm_fixed_n20", "vllm_r1_n1000"));

class TableFolder : public testing::Test {
 protected:
  TableFolder() {
    fs::create_directories(folder_);
    for (const char* name : {"attn_pre_proj", "attn_post_proj", "attn_rope", "attn_kv_cache_save", "input_layernorm",
                             "post_attention_layernorm", "mlp_up_proj", "mlp_down_proj", "mlp_act", "add"})
      write(name, "num_tokens,ms\n1,0.5\n2,0.25\n");
    write("attn_decode", "batch_size,kv_cache_size,ms\n1,0,1\n1,64,2\n");
    write("attn_prefill", "kv_cache_size,prefill_chunk_size_squared,ms\n0,1,3\n0,4,4\n64,1,5\n64,4,6\n");
  }
  ~TableFolder() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / (name + ".csv")) << text;
  }
  StepTables load(std::int64_t stages = 1) const { return load_step_tables(folder_.string(), place_, stages); }
  std::string problem(std::int64_t stages = 1) const {
    return message_of([&] { load(stages); });
  }

  fs::path folder_ = fs::temp_directory_path() / ("servecast_tables_test_" + std::to_string(::getpid()));
  Place place_{.file = "scenario.yaml", .line = 7, .column = 3};
};

TEST_F(TableFolder, IsReadWhole) {
  const StepTables t = load();
  EXPECT_EQ(t.max_tokens(), 2);
  EXPECT_EQ(t.add[2], 0.25);
  EXPECT_EQ(t.attn_decode.at(1, 1), 2);
  EXPECT_EQ(t.attn_prefill.at(1, 2), 6);
  EXPECT_FALSE(t.all_reduce);
}

TEST_F(TableFolder, CollectivesAreReadWhereTheyBelong) {
  EXPECT_THAT(problem(2), HasSubstr("scenario.yaml:7:3: the table folder"));
  EXPECT_THAT(problem(2), HasSubstr("has no send_recv.csv or send_recv.csv.gz"));
  write("send_recv", "num_tokens,ms\n1,1\n2,1\n");
  write("all_reduce", "num_tokens,ms\n1,1\n2,1\n");
  EXPECT_TRUE(load(2).send_recv);
  EXPECT_TRUE(load(1).all_reduce);
}

TEST_F(TableFolder, ErrorsNameFileAndLine) {
  fs::remove(folder_ / "add.csv");
  EXPECT_THAT(problem(), HasSubstr("has no add.csv"));
  write("add", "tokens,ms\n1,1\n");
  EXPECT_THAT(problem(), HasSubstr("add.csv:1: must begin with the line 'num_tokens,ms'"));
  write("add", "num_tokens,ms\n1,0.5\n3,0.5\n");
  EXPECT_THAT(problem(), HasSubstr("add.csv:3: num_tokens must be 2 here"));
  write("add", "num_tokens,ms\n1,0.5\n2,nan\n");
  EXPECT_THAT(problem(), HasSubstr("add.csv:3: must hold 2 numbers of at least 0"));
  write("add", "num_tokens,ms\n1,0.5,7\n");
  EXPECT_THAT(problem(), HasSubstr("add.csv:2: must hold 2 numbers"));
  write("add", "num_tokens,ms\n1,0.5\n");
  EXPECT_THAT(problem(), HasSubstr("add.csv: must cover as many tokens"));
}

TEST_F(TableFolder, GridsMustBeWhole) {
  write("attn_prefill", "kv_cache_size,prefill_chunk_size_squared,ms\n0,1,3\n0,4,4\n64,1,5\n");
  EXPECT_THAT(problem(), HasSubstr("every combination of its two sizes once"));
  write("attn_prefill", "kv_cache_size,prefill_chunk_size_squared,ms\n0,1,3\n0,4,4\n64,4,5\n64,4,5\n");
  EXPECT_THAT(problem(), HasSubstr("twice"));
  write("attn_prefill", "kv_cache_size,prefill_chunk_size_squared,ms\n0,3,3\n");
  EXPECT_THAT(problem(), HasSubstr("no square"));
}

TEST_F(TableFolder, TruncatedGzipIsNoticed) {
  const std::string file = (folder_ / "add.csv.gz").string();
  fs::remove(folder_ / "add.csv");
  gzFile out = gzopen(file.c_str(), "wb");
  gzputs(out, "num_tokens,ms\n1,0.5\n2,0.25\n");
  gzclose(out);
  EXPECT_EQ(problem(), "");
  fs::resize_file(file, fs::file_size(file) - 10);
  EXPECT_THAT(problem(), HasSubstr("add.csv.gz"));
}

}  // namespace servecast::latency_tables_test
