// The `workload:` part of a scenario: from YAML to requests, and every mistake at its place.
#include <gmock/gmock.h>

#include "sim/input/trace/read/handed_trace.h"
#include "sim/input/trace/read/trace_file.h"
#include "sim/input/trace/workload/workload_spec.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::trace_workload_spec_test {

using testing::ElementsAre;

struct Scenario {
  WorkloadSpec workload{};
  void fields(Fields& f) { f.group("workload", workload, "what arrives"); }
};

class WorkloadSpecs : public testing::Test {
 protected:
  WorkloadSpecs() {
    folder_.write("a.csv", "arrival_s,prompt_tokens,output_tokens,class\n0,10,1,chat\n1,20,2,\n4,30,3,chat\n");
    folder_.write("b.csv", "arrival_s,prompt_tokens,output_tokens\n0.5,11,1\n2,21,2\n");
  }
  std::vector<Seen> read(const std::string& yaml) {
    YamlText text = YamlText::load(folder_.write("s.yaml", yaml));
    Scenario scenario;
    YamlFields fields(text);
    scenario.fields(fields);
    fields.finish();
    text.throw_problems();
    return read_all(*make_workload(
        scenario.workload,
        {.seed = 1, .base_folder = folder_.path(), .pools = {"chat", "code"}, .text = &text, .notes = &notes_}));
  }
  /// Without the file's name.
  std::string wrong(const std::string& yaml) {
    const std::string message = message_of([&] { read(yaml); });
    const std::string file = folder_ / "s.yaml:";
    return message.starts_with(file) ? message.substr(file.size()) : message;
  }
  static std::vector<std::int64_t> prompts(const std::vector<Seen>& seen) {
    std::vector<std::int64_t> tokens;
    for (const Seen& s : seen) tokens.push_back(s.request.prompt_tokens);
    return tokens;
  }
  TempFolder folder_;
  WorkloadNotes notes_;
};

TEST_F(WorkloadSpecs, ReadATraceBesideTheScenario) {
  const auto seen = read("workload:\n  trace: {path: a.csv, rate_scale: 2, skip: 1, max_prompt_tokens: 25}\n");
  EXPECT_THAT(prompts(seen), ElementsAre(20, 25));
  EXPECT_EQ(seen[1].request.arrival_s, 1.5);
  EXPECT_EQ(index(seen[1].request.id), 1u);
  EXPECT_EQ(seen[0].request.pool, PoolId{0});
  EXPECT_THAT(notes_.classes.all(), ElementsAre("", "chat"));
}

TEST_F(WorkloadSpecs, MixSourcesIntoPoolsAndClasses) {
  const auto seen = read(
      "workload:\n"
      "  mix:\n"
      "    - trace: {path: a.csv}\n"
      "      class: batch\n"
      "    - trace: {path: b.csv}\n"
      "      pool: code\n"
      "    - generate: {requests: 1, arrivals: {constant: {requests_per_s: 1}},\n"
      "                 prompt_tokens: {fixed: 5}, output_tokens: {fixed: 5}, from_s: 0}\n");
  EXPECT_THAT(prompts(seen), ElementsAre(10, 5, 11, 20, 21, 30));
  EXPECT_EQ(seen[2].request.pool, PoolId{1});
  EXPECT_EQ(seen[3].request.pool, PoolId{0});
  EXPECT_EQ(notes_.classes.all()[index(seen[3].request.request_class)], "batch");
  EXPECT_EQ(seen[2].request.request_class, ClassId{});
}

TEST_F(WorkloadSpecs, MixedTracesShareNoBlocks) {
  folder_.write("p.csv", "arrival_s,prompt_tokens,output_tokens,block_tokens,prefix_blocks\n0,32,1,16,0-1\n");
  const auto seen = read("workload: {mix: [{trace: {path: p.csv}}, {trace: {path: p.csv}}]}\n");
  EXPECT_THAT(seen[0].blocks, ElementsAre(0, 1));
  EXPECT_NE(seen[1].blocks[0], 0u);
}

TEST_F(WorkloadSpecs, TheFirstGeneratorOfAMixIsTheOneAlone) {
  const std::string generate =
      "generate: {requests: 50, arrivals: {poisson: {requests_per_s: 1}},\n"
      "      prompt_tokens: {exponential: {mean: 500}}, output_tokens: {fixed: 5}}\n";
  const auto alone = read("workload:\n  " + generate);
  const auto twice =
      read("workload:\n  mix:\n    - " + generate + "      pool: chat\n    - " + generate + "      pool: code\n");
  std::vector<Seen> first;
  std::vector<Seen> second;
  for (const Seen& s : twice) (s.request.pool == PoolId{0} ? first : second).push_back(s);
  EXPECT_EQ(prompts(first), prompts(alone));
  EXPECT_NE(prompts(second), prompts(alone));
}

TEST_F(WorkloadSpecs, NeedExactlyOneSource) {
  EXPECT_EQ(wrong("name: x\n"), "1:1: unknown key 'name'. Known: workload");
  EXPECT_EQ(wrong("workload: {}\n"), "1:11: 'workload' needs one of: trace, generate, mix");
  EXPECT_EQ(wrong("workload:\n  trace: {path: a.csv}\n  mix:\n    - trace: {path: b.csv}\n"),
            "2:3: 'workload' takes one of these, not several: trace, mix");
  EXPECT_EQ(wrong("workload:\n  mix:\n    - pool: chat\n"), "3:7: 'workload.mix[0]' needs one of: trace, generate");
  EXPECT_EQ(
      wrong("workload:\n  mix:\n    - mix: []\n"),
      "3:7: unknown key 'mix'. Known: adapters, beam_width, class, client, client_timeout_s, generate, images, pool, "
      "priority, "
      "samples, trace, ttft_deadline_s");
}

TEST_F(WorkloadSpecs, SayWhatIsWrongWithASource) {
  EXPECT_EQ(wrong("workload:\n  trace: {path: a.csv}\n  pool: chta\n"),
            "3:9: unknown pool 'chta'; did you mean 'chat'? Known: chat, code");
  EXPECT_EQ(wrong("workload:\n  trace: {path: a.csv}\n  class: a,b\n"),
            "3:10: 'class' is a plain name, without commas, quotes or line breaks");
  EXPECT_EQ(wrong("workload:\n  trace: {path: a.csv, from_s: 3, to_s: 3}\n"), "2:41: 'to_s' must be after 'from_s'");
  EXPECT_EQ(wrong("workload:\n  trace: {path: a.csv, rate_scale: 0}\n"), "2:36: 'rate_scale' must be above 0, not 0");
  EXPECT_EQ(wrong("workload:\n  trace: {path: a.csv, skip: -1}\n"), "2:30: 'skip' must be at least 0, not -1");
  EXPECT_EQ(wrong("workload:\n  trace: {path: a.csv, format: azur}\n"),
            "2:32: unknown format 'azur'; did you mean 'azure'? Known: auto, azure, bailian, burstgpt, claude_code, "
            "claude_code_csv, llmservingsim, mooncake, ragpulse, servecast, servecast_jsonl, vidur");
  EXPECT_EQ(wrong("workload:\n  trace: {skip: 1}\n"),
            "2:10: 'workload.trace.path' is missing: trace file, plain or gzip; relative to the folder of this file");
  EXPECT_EQ(wrong("workload:\n  trace: {path: none.csv}\n"),
            (folder_ / "none.csv") + ": cannot be read; give the path of an existing file");
}

TEST_F(WorkloadSpecs, SayAllThatIsWrongWithAGenerator) {
  EXPECT_EQ(
      wrong("workload:\n"
            "  generate:\n"
            "    arrivals: {closed_loop: {clients: 3}, day_curve: {hourly: [1, 2]}}\n"
            "    prompt_tokens: {fixed: 5}\n"
            "    output_tokens: {}\n"),
      "3:63: 'hourly' needs 24 numbers, not 2\n" + (folder_ / "s.yaml") +
          ":3:54: 'day_curve' cannot bend closed_loop, which has no rate\n" + (folder_ / "s.yaml") +
          ":5:20: 'workload.generate.output_tokens' needs one of: fixed, uniform, lognormal, exponential, zipf, "
          "histogram\n" +
          (folder_ / "s.yaml") + ":3:5: 'generate' never ends: give requests, duration_s or both\n" +
          (folder_ / "s.yaml") +
          ":3:5: a closed loop needs 'requests': how many a given time holds depends on the cluster");
}

std::string generate_with(const std::string& arrivals, const std::string& more = "") {
  return "workload:\n  generate:\n    requests: 5\n    prompt_tokens: {fixed: 5}\n    output_tokens: {fixed: 5}\n    "
         "arrivals: " +
         arrivals + "\n" + more;
}

TEST_F(WorkloadSpecs, SayWhatIsWrongWithArrivals) {
  EXPECT_EQ(wrong(generate_with("{}")),
            "6:15: 'workload.generate.arrivals' needs one of: poisson, gamma, constant, on_off, closed_loop, stages");
  EXPECT_EQ(wrong(generate_with("{poisson: {requests_per_s: 1}, constant: {requests_per_s: 1}}")),
            "6:15: 'workload.generate.arrivals' takes one of these, not several: poisson, constant");
  EXPECT_EQ(wrong(generate_with("{poisson: {requests_per_s: 1}, day_curve: {}}")),
            "6:57: 'day_curve' needs either hourly or peak_factor");
  const std::string zeros = "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]";
  EXPECT_EQ(wrong(generate_with("{poisson: {requests_per_s: 1}, day_curve: {hourly: " + zeros + "}}")),
            "6:66: 'hourly' is all zero; at least one rate must be above");
  EXPECT_EQ(wrong(generate_with("{poisson: {requests_per_s: 0}}")), "6:42: 'requests_per_s' must be above 0, not 0");
  EXPECT_EQ(wrong(generate_with("{poisson: {requests_per_s: 1}}", "    sessions: {turns: {}}\n")),
            "7:23: 'workload.generate.sessions.turns' needs one of: fixed, uniform, lognormal, exponential, zipf, "
            "histogram");
}

TEST_F(WorkloadSpecs, AProcessHandsOverATraceOfItsOwn) {
  const HandedTrace handed("mine",
                           [this](const TraceOptions& options) { return open_trace(folder_ / "a.csv", options); });
  EXPECT_THAT(prompts(read("workload:\n  trace: {path: mine, skip: 1}\n")), ElementsAre(20, 30));
  EXPECT_THAT(prompts(read("workload:\n  trace: {path: b.csv}\n")), ElementsAre(11, 21));
  EXPECT_THAT(wrong("workload:\n  trace: {path: mine, sessions_per_s: 2}\n"),
              testing::HasSubstr("'mine' tells every arrival"));
  EXPECT_THAT(wrong("workload:\n  trace: {path: mine, format: azure}\n"), testing::HasSubstr("leave it at 'auto'"));
}

}  // namespace servecast::trace_workload_spec_test
