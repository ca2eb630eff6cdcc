#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "models/base/escaped.h"

namespace servecast::quoted_yaml_test {

TEST(QuotedYaml, IsReadBack) {
  for (const std::string name :
       {"plain", "", "\x1b[31mred\a", "a\n---\n{b: c} # d", "say \"\\x\"", "'single'", "del\x7f csi\u009b nel\u0085",
        "separators \u2028 \u2029 \u202e", "caf\u00e9 \U0001F600", "- a: [b", "\t tab\r"}) {
    EXPECT_EQ(YAML::Load(yaml_text(name)).Scalar(), name);
    EXPECT_EQ(YAML::Load("{a: " + yaml_text(name) + ", b: 1}")["a"].Scalar(), name);
  }
}

}  // namespace servecast::quoted_yaml_test
