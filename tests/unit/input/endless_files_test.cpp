#include <gmock/gmock.h>

#include <filesystem>

#include "models/base/input_file.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/library/latency_tables.h"
#include "sim/input/library/llm_config.h"
#include "sim/input/trace/formats/trace_format.h"
#include "sim/input/trace/read/routing_files.h"
#include "sim/input/yaml/yaml_fields.h"
#include "tests/unit/input/trace_testing.h"

// Files without an end, and names that lead nowhere, through every reader: a message with the place, and soon.
namespace servecast::endless_files_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct Reader {
  std::string name;
  void (*read)(const std::string& file);
};

const std::vector<Reader> whole{
    {"settings", [](const std::string& file) { YamlText::load(file); }},
    {"profile", [](const std::string& file) { load_profile(file, {}); }},
    {"gpu", [](const std::string& file) { load_gpu(file, {}); }},
    {"model", [](const std::string& file) { load_llm(file, {}); }},
};

void read_lines(const std::string& file) {
  LineReader lines(file);
  while (lines.next()) continue;
}

TEST(EndlessFiles, AreRefusedWhereTheyAreReadWhole) {
  for (const Reader& reader : whole)
    EXPECT_THAT(message_of([&] { reader.read("/dev/zero"); }),
                AllOf(StartsWith("/dev/zero: has more than "), HasSubstr(" MiB; name a smaller file")))
        << reader.name;
}

TEST(EndlessFiles, ALineHasAnEnd) {
  EXPECT_EQ(message_of([] { read_lines("/dev/zero"); }),
            "/dev/zero:1: the line is longer than 16 MiB; each request has a line of its own");
}

// Packed, 40 MB of one letter are 40 KB.
TEST(EndlessFiles, NeitherPackedNorPlainDoesALineFillTheMemory) {
  const TempFolder folder;
  const std::string text = "short\n" + std::string(40'000'000, 'x');
  for (const std::string& file : {folder.write("a.csv", text), folder.write_gzip("a.csv.gz", text)})
    EXPECT_THAT(message_of([&] { read_lines(file); }), HasSubstr(":2: the line is longer than 16 MiB"));
}

TEST(EndlessFiles, EveryTraceFormatSaysSo) {
  const TempFolder folder;
  for (const TraceFormatEntry& entry : trace_formats()) {
    const std::string file = folder.write("trace", std::string(20'000'000, ' ') + "x");
    LineReader lines(file);
    EXPECT_THAT(message_of([&] {
                  const auto format = entry.make();
                  format->begin(lines);
                  for (TraceRow row; format->next(lines, row); row = {}) continue;
                }),
                HasSubstr("trace:1: the line is longer than 16 MiB"))
        << entry.name;
  }
}

TEST(EndlessFiles, ACircleOfLinksIsToldOfItsName) {
  const TempFolder folder;
  const std::string there = folder / "there.yaml", back = folder / "back.yaml";
  std::filesystem::create_symlink(back, there);
  std::filesystem::create_symlink(there, back);
  const std::string wanted = there + ": cannot be read: Too many levels of symbolic links";
  for (const Reader& reader : whole) EXPECT_EQ(message_of([&] { reader.read(there); }), wanted) << reader.name;
  EXPECT_EQ(message_of([&] { read_lines(there); }), wanted);
  EXPECT_THAT(message_of([&] { load_profile(there, {}); }), wanted);
  EXPECT_THAT(message_of([&] { YamlText::load(there + "/in.yaml"); }),
              HasSubstr("Too many levels of symbolic links"));
  EXPECT_THAT(message_of([&] { load_step_tables(there, {}); }), HasSubstr("Too many levels of symbolic links"));
  EXPECT_THAT(message_of([&] { read_routing_trace(there, {}, {.file = "s.yaml"}); }), StartsWith("s.yaml: "));
}

}  // namespace servecast::endless_files_test
