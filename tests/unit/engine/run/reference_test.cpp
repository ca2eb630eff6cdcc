// Six runs of another simulator (Vidur), with its rules and its own tables: every time within 1e-9 s, every batch the
// same, the same restarts. The data are not part of the project; SERVECAST_DATA says where they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "sim/input/files/csv.h"
#include "sim/input/files/line_reader.h"
#include "tests/unit/engine/scenario_text.h"

namespace servecast::reference_test {

constexpr double tolerance_s = 1e-9;

std::string data_folder() {
  const char* data = std::getenv("SERVECAST_DATA");
  return (data ? std::string(data) : std::string(SERVECAST_SOURCE_DIR) + "/../shared/data") + "/vidur_runs/";
}

/// Calls `row` with the cells of the named columns for every row of a CSV file.
template <class Row>
void for_each_row(const std::string& file, const std::vector<std::string>& columns, Row row) {
  LineReader lines(file);
  Csv csv;
  csv.read_header(*lines.next());
  std::vector<std::size_t> at;
  for (const std::string& column : columns) at.push_back(csv.column(column));
  while (const auto line = lines.next()) {
    const auto& cells = csv.cells(*line);
    std::vector<std::string> picked;
    for (std::size_t i : at) picked.emplace_back(cells[i]);
    row(picked);
  }
}

struct Batch {
  double start_s = 0;
  double end_s = 0;
  std::map<std::uint32_t, std::int64_t> tokens;  // by request
};
using Batches = std::map<std::uint32_t, std::vector<Batch>>;  // by replica, in order

struct Steps final : DetailListener {
  Batches batches;
  bool wants_step(double) override { return true; }
  void step(const StepRecord& s, std::span<const StepMember> who) override {
    Batch batch{.start_s = s.start_s, .end_s = s.end_s, .tokens = {}};
    for (const StepMember& m : who) batch.tokens[static_cast<std::uint32_t>(m.id)] += m.tokens;
    batches[static_cast<std::uint32_t>(s.replica)].push_back(std::move(batch));
  }
};

Batches reference_batches(const std::string& file) {
  Batches batches;
  const auto row = [&](const std::vector<std::string>& cells) {
    Batch batch{.start_s = std::stod(cells[1]), .end_s = std::stod(cells[2]), .tokens = {}};
    std::stringstream members(cells[3]);  // "rid:tokens;rid:tokens"
    for (std::string member; std::getline(members, member, ';');) {
      const std::size_t colon = member.find(':');
      batch.tokens[static_cast<std::uint32_t>(std::stoul(member))] += std::stoll(member.substr(colon + 1));
    }
    batches[static_cast<std::uint32_t>(std::stoul(cells[0]))].push_back(std::move(batch));
  };
  for_each_row(file, {"replica_id", "scheduled_at", "completed_at", "requests_tokens"}, row);
  for (auto& [replica, list] : batches) std::ranges::sort(list, {}, &Batch::start_s);
  return batches;
}

class Reference : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Vidur, Reference,
                         testing::Values("cl34_sarathi_fixed_n20", "cl34_vllm_fixed_n20", "cl34_sarathi_r1_n1000",
                                         "cl34_vllm_r1_n1000", "cl34_sarathi_r1_n1000_kv2000",
                                         "cl34_sarathi_r8_n10000"),
                         [](const auto& run) { return std::string(run.param); });

TEST_P(Reference, EveryTimeAndEveryBatchIsTheSame) {
  const std::string run_name = GetParam();
  const std::string data = data_folder() + run_name;
  if (!std::filesystem::exists(data + "_input.csv.gz")) GTEST_SKIP() << "no " << data;
  Scenario scenario = load_scenario(
      std::string(SERVECAST_SOURCE_DIR) + "/scenarios/reference/" + run_name + ".yaml",
      {{"workload.trace.path", data + "_input.csv.gz"}, {"pools[0].latency.tables", data_folder() + "cl34_tables"}});
  Steps steps;
  const Finished done = run_it(scenario, {.detail = &steps});

  std::size_t i = 0;
  for_each_row(data + "_output.csv.gz",
               {"request_id", "scheduled_at", "prefill_completed_at", "completed_at", "num_restarts"},
               [&](const std::vector<std::string>& cells) {
                 const RequestRecord& r = done.recorder.requests()[i++];
                 ASSERT_EQ(static_cast<std::uint32_t>(r.id), std::stoul(cells[0]));
                 ASSERT_NEAR(r.scheduled_s.value(), std::stod(cells[1]), tolerance_s) << "request " << cells[0];
                 ASSERT_NEAR(r.first_token_s.value(), std::stod(cells[2]), tolerance_s) << "request " << cells[0];
                 ASSERT_NEAR(r.finish_s.value(), std::stod(cells[3]), tolerance_s) << "request " << cells[0];
                 ASSERT_EQ(r.preemptions, std::stoul(cells[4])) << "request " << cells[0];
               });
  EXPECT_EQ(i, done.recorder.requests().size());

  const Batches expected = reference_batches(data + "_batches.csv.gz");
  ASSERT_EQ(steps.batches.size(), expected.size());
  for (const auto& [replica, batches] : expected) {
    const std::vector<Batch>& ours = steps.batches.at(replica);
    ASSERT_EQ(ours.size(), batches.size());
    for (std::size_t b = 0; b < batches.size(); ++b) {
      ASSERT_NEAR(ours[b].start_s, batches[b].start_s, tolerance_s) << "replica " << replica << " batch " << b;
      ASSERT_NEAR(ours[b].end_s, batches[b].end_s, tolerance_s) << "replica " << replica << " batch " << b;
      ASSERT_EQ(ours[b].tokens, batches[b].tokens) << "replica " << replica << " batch " << b;
    }
  }
}

}  // namespace servecast::reference_test
