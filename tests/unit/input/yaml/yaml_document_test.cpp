#include "sim/input/yaml/yaml_document.h"

#include <gmock/gmock.h>

#include "models/base/rng.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::yaml_document_test {

using testing::HasSubstr;

std::string complaint(const std::string& text) {
  return message_of([&] { yaml_document(text, "f.yaml"); });
}

// yaml-cpp gives each of these as empty documents without end.
TEST(YamlDocument, SaysWhereACommaIsTooMany) {
  EXPECT_EQ(complaint(","), "f.yaml:1:1: this ',' stands outside of [...] and {...}");
  EXPECT_EQ(complaint("\xEF\xBB\xBF,"), "f.yaml:1:1: this ',' stands outside of [...] and {...}");
  EXPECT_EQ(complaint("{a: 1},"), "f.yaml:1:7: this ',' stands outside of [...] and {...}");
  EXPECT_EQ(complaint("{\n  \"a\": 1\n},\n"), "f.yaml:3:2: this ',' stands outside of [...] and {...}");
  EXPECT_EQ(complaint("[a],b"), "f.yaml:1:4: this ',' stands outside of [...] and {...}");
  EXPECT_EQ(complaint("--- ,"), "f.yaml:1:5: this ',' stands outside of [...] and {...}");
  EXPECT_THAT(complaint("[a]]"), HasSubstr("f.yaml:1:4: is not valid YAML"));
  EXPECT_THAT(complaint("a: 1\n...\n,"), HasSubstr("f.yaml:3:1: this ','"));
  EXPECT_THAT(complaint("a: 1\n,"), HasSubstr("f.yaml:2:1: is not valid YAML"));
}

TEST(YamlDocument, IsTheOnlyOne) {
  EXPECT_EQ(complaint("a: 1\n---\nb: 1\n"), "f.yaml:2:1: a second document begins here; give it a file of its own");
  EXPECT_THAT(complaint("{a: 1} {b: 1}"), HasSubstr("f.yaml:1:8: a second document begins here"));
  EXPECT_THAT(complaint("  a: 1\nb: 1\n"), HasSubstr("f.yaml:2:1: a second document begins here"));
  EXPECT_THAT(complaint("- a\nb: 1\n"), HasSubstr("f.yaml:2:1: a second document begins here"));
  for (const char* one : {"", "# nothing\n", "a: 1", "---\na: 1\n...\n# the end\n", "{a: 1}  # the end", "a: '*'\n"})
    EXPECT_EQ(complaint(one), "") << one;
}

TEST(YamlDocument, IsNotNestedWithoutEnd) {
  const auto nested = [](int levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_EQ(complaint(nested(400)), "");
  EXPECT_THAT(complaint(nested(100'000)), HasSubstr("is not valid YAML: maps and lists are nested too deeply"));
}

TEST(YamlDocument, TakesAliasesThatComeToAnEnd) {
  EXPECT_EQ(complaint("a: &x {b: 1}\nc: [*x, *x]\n"), "");
  EXPECT_EQ(complaint("a: &x [1, *x]\n"), "f.yaml:1:11: this alias stands inside of what it stands for");
  EXPECT_THAT(complaint("a: &x {b: &y {c: *x}}\n"), HasSubstr("this alias stands inside of what it stands for"));
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";  // 11 values, 111, 1,111 ...
  for (int i = 1; i <= 5; ++i) {
    std::string list;
    for (int k = 0; k < 10; ++k) list += (k > 0 ? ", *a" : "*a") + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + list + "]\n";
    EXPECT_EQ(complaint(text) == "", i < 5) << i;
  }
  EXPECT_THAT(complaint(text), HasSubstr("f.yaml:6:"));
  EXPECT_THAT(complaint(text), HasSubstr("aliases repeat more than 1,000,000 values; use fewer"));
}

/// Up to `most` of these pieces, drawn at random.
std::string drawn_text(Rng& rng, const std::vector<std::string>& pieces, std::uint64_t most) {
  std::string text;
  for (std::uint64_t n = 1 + rng.below(most); n > 0; --n) text += pieces[rng.below(pieces.size())];
  return text;
}

// Whatever the text, the answer comes; and what is taken is one document, by yaml-cpp's own count.
TEST(YamlDocument, AnyTextIsADocumentOrAMistake) {
  Rng rng(1, "any text");
  const std::vector<std::string> marks{",", ":",  "[",  "]",  "{", "}",   "-",   "?",  "&", "*",
                                       "!", "|",  ">",  "\"", "'", "%",   "@",   "#",  "a", "b",
                                       " ", "\n", "\t", "~",  ".", "---", "...", ": ", "- "};
  const std::vector<std::string> lines{"a: 1\n",  "b:\n",    "  c: {d: e}\n", "- f\n",   "---\n", "...\n", "%G\n",
                                       "--- h\r", "&i j\n",  "? k\n",         "  - l\n", ",\n",   "]\n",   "# m\n",
                                       "\n",      "'n': o\n"};
  int taken = 0;
  for (int i = 0; i < 40'000; ++i) {
    const std::string text = i % 2 == 0 ? drawn_text(rng, marks, 20) : "z: 1\n" + drawn_text(rng, lines, 5);
    if (complaint(text) != "") continue;
    ++taken;
    ASSERT_LE(YAML::LoadAll(text).size(), 1u) << text;
  }
  EXPECT_GT(taken, 5000);
}

}  // namespace servecast::yaml_document_test
