#include "sim/input/yaml/schema.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/base/registry.h"

namespace servecast::schema_test {

// A small policy kind of our own, so that the test does not move when a policy is added.
struct Cook {
  static constexpr std::string_view kind = "cook";
  static constexpr PolicyListing listing{"cooks", "cooks of a kitchen"};
  virtual ~Cook() = default;
};
struct Slow final : Cook {
  struct Settings {
    double rest_s = 2;
    void fields(Fields& f) { f.field("rest_s", rest_s, "pause between meals", positive); }
  };
  explicit Slow(const Settings&) {}
};
struct Quick final : Cook {
  struct Settings {
    std::int64_t hands = 2;
    void fields(Fields& f) { f.field("hands", hands, "how many", Range{.min = 1, .max = 8}); }
  };
  explicit Quick(const Settings&) {}
};
[[maybe_unused]] const bool added_slow = Registry<Cook>::add<Slow>("slow", "takes its time");
[[maybe_unused]] const bool added_quick = Registry<Cook>::add<Quick>("quick", "hurries");

struct Oven {
  std::optional<double> limit_w{};
  void fields(Fields& f) { f.field("limit_w", limit_w, "most it may draw", positive); }
};
struct Dish {
  std::string name;
  Choice<Cook> cook{"slow"};
  void fields(Fields& f) {
    f.required("name", name, "what it is");
    f.group("cook", cook, "what makes it");
  }
};
struct Menu {
  std::string title = "today";
  std::string note;
  bool open = true;
  std::vector<double> hours{8, 20};
  std::string size = "small";
  std::optional<Oven> oven{};
  std::vector<Dish> dishes{};
  void fields(Fields& f) {
    f.field("title", title, "heading");
    f.field("note", note, "small print");
    f.field("open", open, "whether it is open");
    f.field("hours", hours, "from, to");
    f.field("size", size, "portion", {"small", "large"});
    f.group("oven", oven, "the oven, if there is one");
    f.list("dishes", dishes, "what there is", true);
  }
};

const std::vector<Setting>& menu() {
  static const std::vector<Setting> settings = describe_settings<Menu>();
  return settings;
}
const Setting& setting(const std::string& path) { return *std::ranges::find(menu(), path, &Setting::path); }

TEST(Schema, lists_every_key_in_order) {
  std::vector<std::string> paths;
  for (const Setting& s : menu()) paths.push_back(s.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"title", "note", "open", "hours", "size", "oven", "oven.limit_w",
                                             "dishes", "dishes[].name", "dishes[].cook", "dishes[].cook.policy",
                                             "dishes[].cook.hands", "dishes[].cook.rest_s"}));
}

TEST(Schema, tells_type_default_unit_and_range) {
  EXPECT_EQ(setting("title").type, SettingType::text);
  EXPECT_EQ(setting("title").value, "today");
  EXPECT_EQ(setting("open").type, SettingType::boolean);
  EXPECT_EQ(setting("open").value, true);
  EXPECT_EQ(setting("hours").type, SettingType::numbers);
  EXPECT_EQ(setting("hours").value.dump(), "[8.0,20.0]");
  EXPECT_EQ(setting("size").choices, (std::vector<std::string>{"small", "large"}));
  EXPECT_EQ(setting("oven").type, SettingType::map);
  EXPECT_EQ(setting("oven.limit_w").unit, "W");
  EXPECT_TRUE(setting("oven.limit_w").range.above_min);
  EXPECT_EQ(setting("dishes").type, SettingType::list);
  EXPECT_TRUE(setting("dishes").required);
}

TEST(Schema, no_default_is_null) {
  EXPECT_TRUE(setting("note").value.is_null());          // an empty text is no text
  EXPECT_TRUE(setting("oven.limit_w").value.is_null());  // optional
  EXPECT_TRUE(setting("dishes[].name").value.is_null());
  EXPECT_TRUE(setting("dishes[].name").required);
}

TEST(Schema, shows_every_alternative_with_its_own_settings) {
  const Setting policy = setting("dishes[].cook.policy");
  EXPECT_EQ(policy.value, "slow");
  EXPECT_EQ(policy.policy, "");
  ASSERT_EQ(policy.alternatives.size(), 2u);
  EXPECT_EQ(policy.alternatives[0].name, "quick");
  EXPECT_EQ(policy.alternatives[0].help, "hurries");
  EXPECT_EQ(setting("dishes[].cook.hands").policy, "quick");
  EXPECT_EQ(setting("dishes[].cook.hands").range.max, 8);
  EXPECT_EQ(setting("dishes[].cook.rest_s").policy, "slow");
}

TEST(Schema, splits_paths) {
  EXPECT_EQ(setting("dishes[].cook.policy").map(), "dishes[].cook");
  EXPECT_EQ(setting("dishes[].cook.policy").key(), "policy");
  EXPECT_EQ(setting("title").map(), "");
  EXPECT_EQ(setting("title").key(), "title");
}

}  // namespace servecast::schema_test
