#include <gmock/gmock.h>

#include "sim/input/yaml/yaml_fields.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::yaml_text_test {

using testing::AllOf;
using testing::HasSubstr;

std::string complaint(const std::string& name) {
  return message_of([&] { YamlText::load(name); });
}

struct Two {
  std::string name;
  std::int64_t seed = 0;
  void fields(Fields& f) {
    f.required("name", name, "a name");
    f.field("seed", seed, "a number");
  }
};

Two read(YamlText& text) {
  Two two;
  YamlFields fields(text);
  two.fields(fields);
  fields.finish();
  return two;
}

TEST(YamlText, AKeyOfAFileIsATextByItself) {
  const TempFolder folder;
  const std::string file = folder.write("study.yaml", "space: 1\nbase:\n  name: inner\n  seed: 7\n");
  YamlText text = YamlText::load(file + "#base");
  EXPECT_EQ(YamlText::file_of(file + "#base"), file);
  const Two two = read(text);
  EXPECT_TRUE(text.problems.empty());  // 'space' is none of its keys
  EXPECT_EQ(two.name, "inner");
  EXPECT_EQ(two.seed, 7);
  EXPECT_EQ(text.file, file);             // paths in it count from here
  EXPECT_EQ(text.place("seed").line, 4);  // of the whole file
}

TEST(YamlText, AKeyThatIsMissingOrNoMapIsAMistake) {
  const TempFolder folder;
  const std::string file = folder.write("study.yaml", "space: 1\n");
  EXPECT_THAT(complaint(file + "#base"), AllOf(HasSubstr("study.yaml#base"), HasSubstr("must be a map of settings")));
  EXPECT_THAT(complaint(file + "#space"), HasSubstr("must be a map of settings"));
  EXPECT_THAT(complaint(file + "_#base"), HasSubstr("study.yaml_: cannot be read"));
}

TEST(YamlText, AFileWithThatNameComesFirst) {
  const TempFolder folder;
  folder.write("a.yaml", "b: {name: inner}\n");
  YamlText text = YamlText::load(folder.write("a.yaml#b", "name: outer\n"));
  EXPECT_EQ(read(text).name, "outer");
}

/// A word that is set without being parsed reads as it would in a file.
TEST(YamlText, SetsWhatAFileWouldSay) {
  const TempFolder folder;
  for (const char* value : {"5", "-3", "0x10", "1e3", "'7'", "~", "Null", "seven"}) {
    YamlText set = YamlText::load(folder.write("base.yaml", "name: x\nseed: 1\n"));
    set.set("seed", value);
    YamlText written = YamlText::load(folder.write("written.yaml", std::string("name: x\nseed: ") + value + "\n"));
    const Two by_set = read(set);
    const Two by_file = read(written);
    EXPECT_EQ(by_set.seed, by_file.seed) << value;
    ASSERT_EQ(set.problems.size(), written.problems.size()) << value;
    if (!set.problems.empty()) {
      EXPECT_EQ(set.problems[0].message, written.problems[0].message);
    }
  }
}

// Entries of lists by name, or by policy where they have none; what does not exist yet is added as ever.
TEST(YamlText, FindsEntriesOfListsByName) {
  const std::string yaml =
      "pools:\n- {name: chat, replicas: 1}\n- {name: code, replicas: 1}\ngateway:\n- {policy: trim}\n- {policy: "
      "trim}\n"
      "- {policy: cache}\n";
  YamlText text = YamlText::parse(yaml, "a.yaml");
  text.set("pools.code.replicas", "3");
  text.set("gateway.cache.capacity", "5");
  text.set("slo.ttft_s", "1");
  YamlText by_number = YamlText::parse(yaml, "a.yaml");
  by_number.set("pools[1].replicas", "3");
  by_number.set("gateway[2].capacity", "5");
  by_number.set("slo.ttft_s", "1");
  EXPECT_EQ(text.text(), by_number.text());
  EXPECT_EQ(text.place("pools[1].replicas").file, "--set pools.code.replicas=3");
  const auto complaint_of = [&](const std::string& path) { return message_of([&] { text.set(path, "1"); }); };
  EXPECT_THAT(complaint_of("pools.chatt.replicas"), AllOf(HasSubstr("'chatt'"), HasSubstr("chat")));
  EXPECT_THAT(complaint_of("gateway.trim.tokens"), HasSubstr("several entries of 'gateway' are called 'trim'"));
}

struct Outer {
  Two inner;
  void fields(Fields& f) { f.group("inner", inner, "a map"); }
};

TEST(YamlText, WhatIsWrongInsideAMapThatWasSetIsToldOfTheSetting) {
  const TempFolder folder;
  YamlText text = YamlText::load(folder.write("a.yaml", "inner:\n  name: x\n"));
  text.set("inner", "{name: y, seed: z}");
  YamlFields fields(text);
  Outer outer;
  outer.fields(fields);
  ASSERT_EQ(text.problems.size(), 1u);
  EXPECT_EQ(to_string(text.problems[0]), "--set inner={name: y, seed: z}: 'seed' must be a whole number, not 'z'");
}

TEST(YamlText, IsOneDocument) {
  const TempFolder folder;
  YamlText text = YamlText::load(folder.write("a.yaml", "---\nname: x\n...\n"));
  EXPECT_EQ(read(text).name, "x");
  EXPECT_THAT(complaint(folder.write("b.yaml", "name: x\n---\nseed: 1\n")),
              HasSubstr("b.yaml:2:1: a second document begins here; give it a file of its own"));
}

TEST(YamlText, NamesKeysThatAreUnknownOrGivenTwice) {
  const TempFolder folder;
  YamlText text = YamlText::load(folder.write("a.yaml", "name: x\nsede: 1\nname: y\n"));
  EXPECT_EQ(read(text).name, "x");
  ASSERT_EQ(text.problems.size(), 2u);
  EXPECT_EQ(to_string(text.problems[0]), text.file + ":3:1: 'name' is given twice");
  EXPECT_EQ(to_string(text.problems[1]),
            text.file + ":2:1: unknown key 'sede'; did you mean 'seed'? Known: name, seed");
}

}  // namespace servecast::yaml_text_test
