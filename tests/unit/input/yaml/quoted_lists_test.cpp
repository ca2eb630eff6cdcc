#include "sim/input/yaml/quoted_lists.h"

#include <gmock/gmock.h>

#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/library/library.h"
#include "sim/input/yaml/yaml_fields.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::quoted_lists_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(QuotedLists, AreTakenAndEveryOtherLineStaysWhereItWas) {
  const QuotedLists taken = take_quoted_lists("a:\n  lines:\n  - \"x y\"\n  - \"\"\n  rest: 1\nb:\n- \"z\"");
  EXPECT_THAT(taken.lists, ElementsAre(ElementsAre("x y", ""), ElementsAre("z")));
  EXPECT_EQ(taken.rest, "a:\n  lines: !aside 0\n\n\n  rest: 1\nb: !aside 1\n\n");
}

TEST(QuotedLists, StayWhereAnyEntryIsSomethingElse) {
  for (const std::string entry :
       {"- plain", "- 'single'", "- \"an \\\" escape\"", "- \"text\"  # comment", "-", "- \""}) {
    const std::string text = "lines:\n- \"x\"\n" + entry + "\n";
    EXPECT_THAT(take_quoted_lists(text).lists, IsEmpty()) << entry;
    EXPECT_EQ(take_quoted_lists(text).rest, text);
  }
}

struct Lines {
  std::vector<std::string> lines;
  std::int64_t after = 0;
  void fields(Fields& f) {
    f.required("lines", lines, "texts");
    f.field("after", after, "a number");
  }
};

TEST(QuotedLists, AreReadAsAListWouldBe) {
  const TempFolder folder;
  const std::string file = folder.write("a.yaml", "lines:\n  - \"x: 1\"\n  - \"#\"\nafter: 2\nwrong: 3\n");
  for (YamlText text : {YamlText::load(file), YamlText::load_lists_aside(file)}) {
    YamlFields fields(text);
    Lines read;
    read.fields(fields);
    fields.finish();
    EXPECT_THAT(read.lines, ElementsAre("x: 1", "#"));
    EXPECT_EQ(read.after, 2);
    ASSERT_EQ(text.problems.size(), 1u);
    EXPECT_EQ(text.problems[0].place.line, 5);
  }
}

TEST(QuotedLists, ATagOfNoListIsAMistake) {
  const TempFolder folder;
  for (const char* given : {"!aside 0", "!aside x", "!aside -1"}) {
    YamlText text = YamlText::load(folder.write("a.yaml", std::string("lines: ") + given + "\n"));
    YamlFields fields(text);
    Lines read;
    read.fields(fields);
    ASSERT_EQ(text.problems.size(), 1u) << given;
    EXPECT_THAT(text.problems[0].message, HasSubstr("must be a list of texts"));
  }
}

/// The bundled profiles, read both ways.
TEST(QuotedLists, ChangeNothingInAProfile) {
  for (const std::string& name : list_profiles()) {
    const std::string file = library_file(profile_folder, name, {}, "");
    YamlText text = YamlText::load(file);
    YamlFields fields(text);
    KernelProfile slow;
    slow.fields(fields);
    const KernelProfile quick = load_profile(name, {});
    ASSERT_EQ(quick.operators.size(), slow.operators.size());
    for (std::size_t i = 0; i < slow.operators.size(); ++i)
      EXPECT_EQ(quick.operators[i].residual.lines, slow.operators[i].residual.lines);
  }
}

}  // namespace servecast::quoted_lists_test
