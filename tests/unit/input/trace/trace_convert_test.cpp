#include "sim/input/trace/cache/trace_convert.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "sim/input/files/line_reader.h"
#include "sim/input/trace/cache/trace_info.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::trace_convert_test {

std::int64_t convert_file(const WorkloadSpec& spec, const std::string& out) {
  WorkloadNotes notes;
  return convert(spec, {.seed = 1, .notes = &notes}, out);
}

std::string unpacked(const std::string& file) {
  LineReader lines(file);
  std::string text;
  while (const std::optional<Line> line = lines.next()) text += std::string(line->text) + "\n";
  return text;
}

void expect_same(const std::vector<Seen>& a, const std::vector<Seen>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].request.id, b[i].request.id);
    EXPECT_EQ(a[i].request.prompt_tokens, b[i].request.prompt_tokens);
    EXPECT_EQ(a[i].request.output_tokens, b[i].request.output_tokens);
    EXPECT_EQ(a[i].request.session, b[i].request.session);
    EXPECT_EQ(a[i].request.block_tokens, b[i].request.block_tokens);
    EXPECT_EQ(a[i].blocks, b[i].blocks);
    EXPECT_EQ(a[i].think_s, b[i].think_s);
    EXPECT_EQ(a[i].request.arrival_s, b[i].request.arrival_s);
  }
}

TEST(Convert, WritesOnlyTheColumnsThatAreNeeded) {
  const TempFolder folder;
  const std::string file = folder.write(
      "a.jsonl", R"({"timestamp": 1500, "input_length": 1025, "output_length": 5, "hash_ids": [0, 1, 7]})"
                 "\n");
  EXPECT_EQ(convert_file(trace_spec(file), folder / "out.csv"), 1);
  EXPECT_EQ(read_bytes(folder / "out.csv"),
            "request_id,arrival_s,prompt_tokens,output_tokens,block_tokens,prefix_blocks\n"
            "0,1.5,1025,5,512,0-1 7\n");
}

TEST(Convert, KeepsSessionsClassesAndThinkTimes) {
  const TempFolder folder;
  const std::string text =
      "request_id,arrival_s,prompt_tokens,output_tokens,session,think_s,class\n"
      "0,100,10,1,1,,chat\n"
      "1,,20,2,1,0.1,chat\n"
      "2,200.1,30,3,2,,\n"
      "3,,40,4,2,0.3,code\n";
  convert_file(trace_spec(folder.write("a.csv", text)), folder / "out.csv");
  EXPECT_EQ(read_bytes(folder / "out.csv"), text);
}

GenerateSpec conversations() {
  return {.requests = 500,
          .arrivals = {.poisson = PoissonSpec{.requests_per_s = 2}},
          .prompt_tokens = {.lognormal = LognormalSpec{.mean = 300, .sigma = 1}},
          .output_tokens = {.exponential = ExponentialSpec{.mean = 100}},
          .sessions = SessionSpec{.turns = {.uniform = UniformSpec{.min = 1, .max = 6}},
                                  .think_s = DistributionSpec{.exponential = ExponentialSpec{.mean = 20}}},
          .system_prompts = SystemPromptSpec{.count = 4, .tokens = 64, .zipf_exponent = 1}};
}

TEST(Convert, ReadingBackGivesTheSameConversations) {
  const TempFolder folder;
  WorkloadSpec spec;
  spec.source.generate = GeneratedSpec{.generate = conversations()};
  EXPECT_EQ(convert_file(spec, folder / "out.csv.gz"), 500);
  const TraceInfo made = describe(*open(spec).workload, {});
  const TraceInfo read = describe(*open_file(folder / "out.csv.gz").workload, {});
  EXPECT_EQ(to_json(made), to_json(read));
}

TEST(Convert, ReadingBackAClosedLoopKeepsEveryClient) {
  const TempFolder folder;
  WorkloadSpec spec;
  spec.source.generate = GeneratedSpec{.generate = conversations()};
  spec.source.generate->generate.arrivals = {.closed_loop = ClosedLoopSpec{.clients = 20}};
  convert_file(spec, folder / "out.csv");
  const TraceInfo read = describe(*open_file(folder / "out.csv").workload, {});
  EXPECT_EQ(read.requests, 500);
  EXPECT_EQ(read.arrivals, 20);
  EXPECT_EQ(read.sessions, 20);
  EXPECT_LT(read.max_turns, 100);  // no session takes them all
}

TEST(Convert, ReadingBackRealTracesGivesTheSame) {
  for (const char* name : {"azure2023/AzureLLMInferenceTrace_conv.csv.gz", "mooncake/conversation_trace.jsonl.gz"}) {
    const auto file = real_trace(name);
    if (!file) GTEST_SKIP() << "no real traces here";
    const TempFolder folder;
    convert_file(trace_spec(*file), folder / "out.csv.gz");
    expect_same(open_file(*file).all(), open_file(folder / "out.csv.gz").all());
  }
}

TEST(Convert, TheSameTraceGivesTheSameBytes) {
  const TempFolder folder;
  WorkloadSpec spec;
  spec.source.generate = GeneratedSpec{.generate = conversations()};
  convert_file(spec, folder / "a.csv.gz");
  convert_file(spec, folder / "b.csv.gz");
  const std::string bytes = read_bytes(folder / "a.csv.gz");
  EXPECT_EQ(bytes, read_bytes(folder / "b.csv.gz"));
  EXPECT_EQ(bytes.substr(4, 4), std::string(4, '\0'));  // no time of writing
}

TEST(Convert, LeavesNothingHalfWritten) {
  const TempFolder folder;
  folder.write("out.csv", "what was there before\n");
  const std::string bad = folder.write("bad.csv", "arrival_s,prompt_tokens,output_tokens\n0,1,1\nx,1,1\n");
  EXPECT_THROW(convert_file(trace_spec(bad), folder / "out.csv"), UserError);
  EXPECT_EQ(read_bytes(folder / "out.csv"), "what was there before\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "out.csv.part"));
  const std::string good = folder.write("good.csv", "arrival_s,prompt_tokens,output_tokens\n0,1,1\n");
  EXPECT_EQ(message_of([&] { convert_file(trace_spec(good), folder / "no/out.csv"); }),
            (folder / "no/out.csv") + ": cannot be written; is there such a folder, and room in it?");
}

TEST(Convert, FollowsSymbolicLinks) {
  namespace fs = std::filesystem;
  const TempFolder folder;
  const std::string trace = folder.write("t.csv", "arrival_s,prompt_tokens,output_tokens\n0,1,1\n");
  fs::create_directory(folder / "far");
  fs::create_symlink("far/next.csv", folder / "link.csv");  // to a link to what is not there yet
  fs::create_symlink("out.csv", folder / "far/next.csv");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(convert_file(trace_spec(trace), folder / "link.csv"), 1);
    EXPECT_TRUE(fs::is_symlink(folder / "link.csv"));
    EXPECT_TRUE(fs::is_symlink(folder / "far/next.csv"));
    EXPECT_THAT(unpacked(folder / "far/out.csv"), testing::StartsWith("request_id,"));
  }
  fs::create_symlink("circle.csv", folder / "circle.csv");
  EXPECT_EQ(message_of([&] { convert_file(trace_spec(trace), folder / "circle.csv"); }),
            (folder / "circle.csv") + ": cannot be written: Too many levels of symbolic links");
}

TEST(Convert, ReplacesFilesAlone) {
  const TempFolder folder;
  const std::string trace = folder.write("t.csv", "arrival_s,prompt_tokens,output_tokens\n0,1,1\n");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", folder / "link");
  std::filesystem::create_directory(folder / "dir");
  const auto complaint = [&](const std::string& name) {
    return message_of([&] { convert_file(trace_spec(trace), folder / name); });
  };
  EXPECT_EQ(complaint("pipe"), (folder / "pipe") + ": is no regular file; give the path of a file");
  EXPECT_EQ(complaint("link"), (folder / "link") + ": is no regular file; give the path of a file");
  EXPECT_EQ(complaint("dir"), (folder / "dir") + ": is a folder, not a file");
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

TEST(Make, SaysWhatIsWrongWithItsSettings) {
  const TempFolder folder;
  const std::string file = folder.write("m.yaml", "seed: 3\n");
  EXPECT_EQ(message_of([&] { make_trace(file, folder / "out.csv"); }),
            file + ": the file needs one of: trace, generate, mix");
}

const std::string shipped = SERVECAST_SOURCE_DIR "/scenarios/traces/chat";

TEST(ShippedTrace, IsWhatItsSettingsMake) {
  const TempFolder folder;
  EXPECT_EQ(make_trace(shipped + ".make.yaml", folder / "chat.csv.gz"), 2000);
  EXPECT_EQ(unpacked(folder / "chat.csv.gz"), unpacked(shipped + ".csv.gz"));
}

TEST(ShippedTrace, LooksLikeChat) {
  Opened opened = open_file(shipped + ".csv.gz");
  const TraceInfo info = describe(*opened.workload, *opened.notes);
  EXPECT_EQ(info.requests, 2000);
  EXPECT_NEAR(info.span_s, 600, 30);
  EXPECT_NEAR(info.gap_cv, 1.2, 0.1);
  EXPECT_NEAR(info.prompt_tokens.mean, 1100, 60);
  EXPECT_NEAR(info.output_tokens.mean, 210, 12);
}

TEST(TraceInfo, IsToldInWords) {
  const TempFolder folder;
  Opened opened =
      open_file(folder.write("a.csv",
                             "arrival_s,prompt_tokens,output_tokens,session,class,block_tokens,prefix_blocks\n"
                             "10,32,4,a,chat,16,0-1\n"
                             "10.5,64,5,b,chat,16,0-1 5-6\n"
                             "11,20,0,b,chat,,\n"
                             "12,100,6,a,,,\n"));
  EXPECT_EQ(to_text(describe(*opened.workload, *opened.notes)),
            "requests       3\n"
            "left out       1: no output tokens: the request failed when it was recorded\n"
            "span           2.0 s, 1.5 per second on average\n"
            "peak           2 per second in the fullest second, 0.05 in the fullest minute\n"
            "burstiness     gaps vary by 0.50; dispersion 0.7 over 1 s, 0.0 over 60 s (Poisson: all 1)\n"
            "prompt tokens  mean 65.3   p50 64   p90 93   p99 99   max 100\n"
            "output tokens  mean 5.0   p50 5   p90 6   p99 6   max 6\n"
            "sessions       2, with 1.50 requests on average, 2 at most\n"
            "class          chat: 2\n"
            "prefix hits    16.33 % of prompt tokens begin a prompt seen before\n");
}

}  // namespace servecast::trace_convert_test
