#include "sim/input/yaml/plain_fields.h"

#include <gmock/gmock.h>

#include <tuple>

#include "models/hw/profile/kernel_profile.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/library/library.h"
#include "sim/input/yaml/yaml_fields.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::plain_fields_test {

using testing::ElementsAre;

struct Point {
  std::string name{};
  bool shown = true;
  std::string form = "dot";
  std::vector<double> at{};
  void fields(Fields& f) {
    f.required("name", name, "what it is called");
    f.field("shown", shown, "it is drawn");
    f.field("form", form, "as what", {"dot", "cross"});
    f.required("at", at, "where it is");
  }
};

struct Inner {
  double share = 0;
  std::vector<std::string> lines{};
  void fields(Fields& f) {
    f.required("share", share, "a share", fraction);
    f.field("lines", lines, "texts");
  }
};

struct Outer {
  std::string title{};
  std::int64_t count = 3;
  Inner inner{};
  std::vector<Point> points{};
  void fields(Fields& f) {
    f.required("title", title, "what it is");
    f.field("count", count, "how many", {.min = 0, .max = 4096});
    f.group("inner", inner, "a group");
    f.list("points", points, "a list");
  }
};

bool understood(const std::string& text, Outer& read) {
  PlainFields fields(text);
  read.fields(fields);
  return fields.understood();
}

constexpr std::string_view whole = R"(# made by a program
title: "a: b # c"
count: 12
inner:
  share: 2.5e-01
  lines:
  - "x y"
  - ""
points:
  - name: "p"
    shown: false
    form: "cross"
    at: [1, 2.5]
  - name: "q"
    at: [3e+2]
)";

TEST(PlainFields, ReadWhatWasWrittenAsTheFieldsSay) {
  Outer read;
  ASSERT_TRUE(understood(std::string(whole), read));
  EXPECT_EQ(read.title, "a: b # c");
  EXPECT_EQ(read.count, 12);
  EXPECT_EQ(read.inner.share, 0.25);
  EXPECT_THAT(read.inner.lines, ElementsAre("x y", ""));
  ASSERT_EQ(read.points.size(), 2u);
  EXPECT_THAT(read.points[0].at, ElementsAre(1, 2.5));
  EXPECT_FALSE(read.points[0].shown);
  EXPECT_EQ(read.points[0].form, "cross");
  EXPECT_EQ(read.points[1].name, "q");
  EXPECT_TRUE(read.points[1].shown);
  EXPECT_EQ(read.points[1].form, "dot");
  EXPECT_THAT(read.points[1].at, ElementsAre(300));
}

TEST(PlainFields, KeepDefaultsOfWhatIsLeftOut) {
  Outer read;
  ASSERT_TRUE(understood("title: \"t\"\ninner:\n  share: 1\n", read));
  EXPECT_EQ(read.count, 3);
  EXPECT_TRUE(read.points.empty());
}

// Right or wrong: YamlFields reads it, or says what is wrong with it.
TEST(PlainFields, LeaveEverythingElseToYaml) {
  const std::pair<const char*, const char*> changes[] = {
      {"count: 12", "count: 010"},             // 8 in YAML
      {"count: 12", "count: 5000"},            // out of range
      {"count: 12", "count: twelve"},          //
      {"count: 12", "count: 12 # a dozen"},    //
      {"count: 12", "countt: 12"},             // an unknown key
      {"count: 12", "count: 12\ncount: 13"},   // given twice
      {"count: 12", "count:\n  12"},           //
      {"\"a: b # c\"", "a"},                   // could be null or true
      {"\"a: b # c\"", "\"an \\\" escape\""},  //
      {"\"a: b # c\"", "\"\xc3\xa4\""},        // beyond ASCII
      {"title: ", "title : "},                 //
      {"title: ", "&anchor title: "},          //
      {"2.5e-01", "1.5"},                      // out of range
      {"2.5e-01", ".inf"},                     //
      {"2.5e-01", "0x1"},                      //
      {"  - \"x y\"", "  - x y"},              //
      {"  - \"x y\"", "   - \"x y\""},         // entries that do not stand below each other
      {"\n  - \"x y\"\n  - \"\"", " []"},      //
      {"shown: false", "shown: no"},           // false in YAML
      {"\"cross\"", "\"star\""},               // no such form
      {"[1, 2.5]", "[1, a]"},                  //
      {"[1, 2.5]", "[]"},                      //
      {"    at: [3e+2]\n", ""},                // required
      {"    at: [3e+2]\n", "    at: [3e+2]\n    more: 1\n"},
      {"  share: 2.5e-01\n", ""},       // required
      {"points:", "points: 3"},         //
      {"inner:", "inner: {share: 1}"},  //
      {"    at: [1, 2.5]\n", "\tat: [1, 2.5]\n"},
      {"title", "---\ntitle"},  //
  };
  for (const auto& [from, to] : changes) {
    std::string text(whole);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, std::string_view(from).size(), to);
    Outer read;
    EXPECT_FALSE(understood(text, read)) << from << " -> " << to;
  }
}

auto numbers(const FittedOperator& o) {
  return std::tie(o.op, o.dtype, o.kv_dtype, o.mode, o.head_dim, o.tile_rows, o.law.launch_s, o.law.flop_per_s,
                  o.law.bytes_per_s, o.law.sharpness, o.law.ramp_length, o.residual.lines);
}
auto numbers(const FitEvidence& e) {
  return std::tie(e.source, e.rows, e.held_out_rows, e.left_out_rows, e.median_error, e.p90_error, e.p95_error,
                  e.spread_up_to_s, e.spread_fraction);
}
auto numbers(const GridAxis& axis) { return std::tie(axis.name, axis.points); }
auto numbers(const TransferLaw& law) {
  return std::tie(law.op, law.pageable, law.start_s, law.bytes_per_s, law.side_by_side_bytes_per_s,
                  law.beside_products_fraction, law.piece_s, law.gathered_start_s, law.gathered_bytes_per_s,
                  law.basis, law.source, law.rows, law.rms_error, law.least_bytes, law.most_bytes);
}
auto numbers(const KernelProfile& p) { return std::tie(p.title, p.gpu, p.engine, p.elementwise_bytes_per_s); }

void expect_same(const KernelProfile& quick, const KernelProfile& slow) {
  EXPECT_EQ(numbers(quick), numbers(slow));
  ASSERT_EQ(quick.transfers.size(), slow.transfers.size());
  for (std::size_t i = 0; i < slow.transfers.size(); ++i)
    EXPECT_EQ(numbers(quick.transfers[i]), numbers(slow.transfers[i]));
  ASSERT_EQ(quick.operators.size(), slow.operators.size());
  for (std::size_t i = 0; i < slow.operators.size(); ++i) {
    const FittedOperator& a = quick.operators[i];
    const FittedOperator& b = slow.operators[i];
    EXPECT_EQ(numbers(a), numbers(b));
    EXPECT_EQ(numbers(a.evidence), numbers(b.evidence));
    ASSERT_EQ(a.residual.axes.size(), b.residual.axes.size());
    for (std::size_t axis = 0; axis < b.residual.axes.size(); ++axis)
      EXPECT_EQ(numbers(a.residual.axes[axis]), numbers(b.residual.axes[axis]));
  }
}

// The bundled profiles, read both ways: each number has the same bits.
TEST(PlainFields, ReadTheBundledProfilesAsYamlDoes) {
  for (const std::string& name : list_profiles()) {
    const std::string file = library_file(profile_folder, name, {}, "");
    const std::string yaml = YamlText::read(file);
    PlainFields fields(yaml);
    KernelProfile quick;
    quick.fields(fields);
    ASSERT_TRUE(fields.understood()) << name << " is not as `servecast-calibrate fit` writes it";
    YamlText text = YamlText::load(file);
    YamlFields yaml_fields(text);
    KernelProfile slow;
    slow.fields(yaml_fields);
    SCOPED_TRACE(name);
    expect_same(quick, slow);
  }
}

// A mistake is reported with its place, as for any file.
TEST(PlainFields, OfAProfileWithAMistakeYamlSaysWhere) {
  const TempFolder folder;
  const std::string file = library_file(profile_folder, list_profiles().front(), {}, "");
  std::string yaml = YamlText::read(file);
  const std::string from = "sharpness: 2";
  yaml.replace(yaml.find(from), from.size(), "sharpness: 0");
  try {
    load_profile(folder.write("wrong.yaml", yaml), {}, "");
    FAIL() << "a sharpness of 0 is no sharpness";
  } catch (const UserError& e) {
    ASSERT_EQ(e.problems().size(), 1u);
    EXPECT_EQ(e.problems()[0].path, "operators[0].law.sharpness");
    EXPECT_GT(e.problems()[0].place.line, 5);
  }
}

}  // namespace servecast::plain_fields_test
