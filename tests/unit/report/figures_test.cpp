// The table of figures: that a row is all that a figure needs to be in the file, in tables and in comparisons.
#include "sim/report/figures/figures.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "sim/report/fields/field_walk.h"
#include "sim/report/fields/json_fields.h"
#include "sim/report/layout/item_table.h"
#include "tests/unit/message_of.h"

namespace servecast::figures_test {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::StartsWith;

/// Numbers of summary.json that say what the report is about.
const std::set<std::string> structural{"seed"};

/// Makes everything that may be absent present, and every list one entry long.
class Filling final : public FieldWalk {
 public:
  void number(const About&, std::optional<double>, bool) override {}
  void enter(const About&) override {}
  bool enter_optional(const About&, bool) override { return true; }
  std::size_t enter_list(const About&, std::size_t) override { return 1; }
  void enter_item(std::size_t) override {}
  void leave() override {}
};

/// summary.json of a run that has all there is.
ordered_json whole_file() {
  Summary summary;
  Filling filling;
  summary.fields(filling);
  return ordered_json::parse(to_json(summary));
}

/// The keys of all values that are none of the user's settings.
void add_keys(const ordered_json& json, const std::string& key, std::set<std::string>& keys) {
  if (json.is_object()) {
    for (const auto& [name, value] : json.items())
      if (name != "settings") add_keys(value, key.empty() ? name : key + "." + name, keys);
  } else if (json.is_array() && !json.empty() && json[0].is_object()) {
    add_keys(json[0], key + "[]", keys);
  } else if (json.is_number() || json.is_null()) {
    keys.insert(key);
  }
}

std::set<std::string> keys_of_file() {
  std::set<std::string> keys;
  add_keys(whole_file(), "", keys);
  return keys;
}

std::set<std::string> keys_of(RowKind kind) {
  std::set<std::string> keys;
  for (const FigureRow& row : figure_rows())
    if (row.kind == kind) keys.insert(row.key);
  return keys;
}

TEST(Figures, EveryNumberOfTheFileHasARow) {
  std::set<std::string> known = structural;
  for (const Figure& f : figures()) known.insert(f.key);
  for (const std::string& key : keys_of_file()) EXPECT_TRUE(known.contains(key)) << key;
}

TEST(Figures, EveryRowIsInTheFileUnlessItIsWorkedOut) {
  const std::set<std::string> in_file = keys_of_file();
  const std::set<std::string> worked_out = keys_of(RowKind::derived);
  for (const Figure& f : figures()) EXPECT_NE(in_file.contains(f.key), worked_out.contains(f.key)) << f.key;
}

TEST(Figures, EveryRowSaysWhatItIs) {
  std::set<std::string> keys;
  for (const FigureRow& row : figure_rows()) {
    EXPECT_TRUE(keys.insert(row.key).second) << row.key << " stands twice";
    EXPECT_FALSE(row.help.empty()) << row.key;
    EXPECT_TRUE(!row.shown || row.kind != RowKind::spread || !row.unit.empty()) << row.key << " has no unit";
  }
}

TEST(Figures, AreReadByTheirKeys) {
  Summary summary{.requests_per_s = 2.5};
  summary.latencies.ttft_s = Statistics{.p99 = 0.25};
  summary.pools = {{.name = "a"}, {.name = "b", .gpus = 4, .busy_fraction = 0.5}};
  const FigureValues values(summary);
  EXPECT_EQ(values.of("requests_per_s"), 2.5);
  EXPECT_EQ(values.of("ttft_s.p99"), 0.25);
  EXPECT_EQ(values.of("tpot_s.p99"), std::nullopt);
  EXPECT_EQ(values.of("pools[1].busy_fraction"), 0.5);
  EXPECT_EQ(values.of("pools[2].busy_fraction"), std::nullopt);
  EXPECT_EQ(values.of("gpus"), 4);  // worked out: of all pools
  EXPECT_EQ(figure("ttft_s.p99").heading, "TTFT p99");
  EXPECT_EQ(figure("ttft_s.p99").shown(0.25), "250 ms");
  EXPECT_EQ(figure("pools[1].busy_fraction").shown(0.5), "50.0 %");
  EXPECT_EQ(figure("pools[1].gpus").shown(4), "4");
}

std::string complaint(const std::string& key) {
  return message_of([&] { figure(key); });
}

TEST(Figures, AnUnknownKeyIsAnsweredWithTheNearest) {
  EXPECT_THAT(complaint("ttft_s.p9"), StartsWith("unknown figure 'ttft_s.p9'; did you mean 'ttft_s.p9"));
  EXPECT_THAT(complaint("usd_per_hour"), HasSubstr("did you mean 'cost.usd_per_hour'?"));
  EXPECT_THAT(complaint("pools[0].bussy_fraction"), HasSubstr("did you mean 'pools[].busy_fraction'?"));
  EXPECT_THAT(complaint("pools[].busy_fraction"), HasSubstr("name one by its number"));
  EXPECT_THAT(complaint("name"), StartsWith("unknown figure 'name'")) << "a text is no figure";
  EXPECT_THAT(complaint("answered_by[0].passes"), HasSubstr("did you mean 'answered_by[].llm_calls'?"));
}

/// A struct with a new figure: the row is all that it took.
struct MadeUp {
  std::string name{};
  double warm_fraction = 0;
  std::optional<Statistics> wait_s{};
  void fields(Fields& f) {
    f.field("name", name, "whose");
    f.figure("warm_fraction", warm_fraction, "share that is warm", {.heading = "warm", .better = Better::higher});
    f.figure("wait_s", wait_s, "for it", {.statistics = {{{"mean", "wait, mean"}, {"max", "", " to "}}}});
  }
};

TEST(ItemTable, HasAColumnForEachFigureWithAHeading) {
  const std::vector<MadeUp> items{{"first", 0.25, Statistics{.mean = 1, .max = 2}}, {"", 1, std::nullopt}};
  EXPECT_EQ(item_table({.title = "one"}, items).text(0, 80),
            "one       warm        wait, mean\n"
            "first   25.0 %  1.00 s to 2.00 s\n"
            "all    100.0 %                 -\n");
}

TEST(ItemTable, TheFileHasTheSameFigures) {
  MadeUp item{"first", 0.25, std::nullopt};
  ordered_json json = ordered_json::object();
  JsonWriter writer(json);
  item.fields(writer);
  EXPECT_EQ(json.dump(), R"({"name":"first","warm_fraction":0.25,"wait_s":null})");
}

}  // namespace servecast::figures_test
