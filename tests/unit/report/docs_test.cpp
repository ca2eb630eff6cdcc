#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/report/record/platform.h"
#include "tests/unit/report/files.h"

namespace servecast::docs_test {

/// docs/report.md explains every key of platform.json, each written `so`.
class Docs : public testing::Test {
 protected:
  void expect_explained(const std::string& name) const {
    EXPECT_NE(text_.find("`" + name + "`"), std::string::npos) << name << " is not in docs/report.md";
  }
  void expect_keys_explained(const nlohmann::json& json) const {
    if (json.is_array())
      for (const nlohmann::json& item : json) expect_keys_explained(item);
    if (json.is_object())
      for (const auto& [key, value] : json.items()) {
        expect_explained(key);
        expect_keys_explained(value);
      }
  }

 private:
  const std::string text_ = read_text(SERVECAST_SOURCE_DIR "/docs/report.md");
};

TEST_F(Docs, ExplainEveryKeyOfThePlatform) {
  expect_keys_explained(
      nlohmann::json::parse(to_json(Platform{.nodes = {{}}, .gpus = {{}}, .links = {{}}, .replicas = {{}}})));
}

}  // namespace servecast::docs_test
