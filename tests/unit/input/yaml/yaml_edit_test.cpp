#include "sim/input/yaml/yaml_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/message_of.h"

namespace servecast::yaml_edit_test {

using testing::HasSubstr;

std::string edited(const std::string& text, const std::string& path, const std::string& value) {
  return edit_yaml("s.yaml", text, path, value);
}

std::string error_of(const std::string& text, const std::string& path, const std::string& value) {
  return message_of([&] { edited(text, path, value); });
}

struct Case {
  std::string what;
  std::string before;
  std::string path;
  std::string value;
  std::string after;
};

class YamlEdit : public testing::TestWithParam<Case> {};

TEST_P(YamlEdit, changes_nothing_else) {
  const Case& c = GetParam();
  EXPECT_EQ(edited(c.before, c.path, c.value), c.after);
}

INSTANTIATE_TEST_SUITE_P(
    values, YamlEdit,
    testing::Values(Case{"by_name", "pools:\n  - name: a\n    n: 1\n  - name: b\n    n: 1\n", "pools.b.n", "2",
                         "pools:\n  - name: a\n    n: 1\n  - name: b\n    n: 2\n"},
                    Case{"number", "seed: 1  # one\nname: x\n", "seed", "42", "seed: 42  # one\nname: x\n"},
                    Case{"aligned", "a:    1\nbb:   2\n", "bb", "3", "a:    1\nbb:   3\n"},
                    Case{"single_quoted", "name: 'it''s: x' # c\nseed: 1\n", "name", "y", "name: y # c\nseed: 1\n"},
                    Case{"double_quoted", "name: \"a \\\" # b\" # c\n", "name", "y", "name: y # c\n"},
                    Case{"hash_in_plain", "name: a#b #c\n", "name", "y", "name: y #c\n"},
                    Case{"colon_in_plain", "name: a:b # c\n", "name", "y", "name: y # c\n"},
                    Case{"utf8", "name: 深度 # 注\nseed: 1 # é\n", "seed", "2", "name: 深度 # 注\nseed: 2 # é\n"},
                    Case{"byte_order_mark", "\xEF\xBB\xBFseed: 1\n", "seed", "2", "\xEF\xBB\xBFseed: 2\n"},
                    Case{"crlf", "seed: 1\r\nname: x\r\n", "seed", "2", "seed: 2\r\nname: x\r\n"},
                    Case{"no_last_newline", "seed: 1", "seed", "2", "seed: 2"},
                    Case{"quotes_kept_as_given", "name: x\n", "name", "\"5\"", "name: \"5\"\n"},
                    Case{"quotes_where_needed", "m: {name: x, b: 1}\n", "m.name", "a[1",
                         "m: {name: \"a[1\", b: 1}\n"},
                    Case{"several_lines", "name: x # c\n", "name", "\"a\nb\"", "name: \"a b\" # c\n"},
                    Case{"list_value", "a: [1, 2]  # ab\nb: 1\n", "a", "[3, 4, 5]", "a: [3, 4, 5]  # ab\nb: 1\n"},
                    Case{"map_value", "a: 1\nb: 2\n", "a", "{c: 1}", "a: {c: 1}\nb: 2\n"},
                    Case{"block_map_value", "a: 1\nb: 2\n", "a", "c: 1\nd: 2", "a: {c: 1, d: 2}\nb: 2\n"},
                    Case{"first_document", "---\nseed: 1\n...\n", "seed", "2", "---\nseed: 2\n...\n"}),
    [](const auto& test) { return test.param.what; });

INSTANTIATE_TEST_SUITE_P(
    places, YamlEdit,
    testing::Values(
        Case{"block_map", "slo:\n  # fast\n  ttft_s: 1.0 # s\n", "slo.ttft_s", "2",
             "slo:\n  # fast\n  ttft_s: 2 # s\n"},
        Case{"flow_map", "slo: {ttft_s: 1, tpot_s: 2}\n", "slo.ttft_s", "0.5", "slo: {ttft_s: 0.5, tpot_s: 2}\n"},
        Case{"flow_map_last", "slo: { ttft_s: 1, tpot_s: 2 } # c\n", "slo.tpot_s", "3",
             "slo: { ttft_s: 1, tpot_s: 3 } # c\n"},
        Case{"flow_over_lines", "slo: {ttft_s: 1,  # a\n      tpot_s: 2}  # b\nseed: 1\n", "slo.tpot_s", "3",
             "slo: {ttft_s: 1,  # a\n      tpot_s: 3}  # b\nseed: 1\n"},
        Case{"list_item", "p:\n  - name: a # x\n    n: 1\n  - name: b # y\n    n: 2 # z\n", "p[1].n", "7",
             "p:\n  - name: a # x\n    n: 1\n  - name: b # y\n    n: 7 # z\n"},
        Case{"unindented_list", "p:\n- name: a\n  n: 1\n- name: b\n  n: 2\nq: 3\n", "p[0].n", "7",
             "p:\n- name: a\n  n: 7\n- name: b\n  n: 2\nq: 3\n"},
        Case{"item_of_flow_list", "p: [1, 22, 3]\n", "p[1]", "7", "p: [1, 7, 3]\n"},
        Case{"item_of_block_list", "p:\n  - 1 # a\n  - 2 # b\n", "p[0]", "7", "p:\n  - 7 # a\n  - 2 # b\n"},
        Case{"map_in_flow_list", "p: [{a: 1}, {a: 2}]\n", "p[1].a", "9", "p: [{a: 1}, {a: 9}]\n"},
        Case{"flow_inside_block_item", "p:\n  - r: {policy: x, k: 1} # c\n", "p[0].r.policy", "y",
             "p:\n  - r: {policy: y, k: 1} # c\n"},
        Case{"whole_block_map", "a:\n  b: 1\n  c: 2 # gone\nd: 3 # stays\n", "a", "{b: 5}",
             "a: {b: 5} # gone\nd: 3 # stays\n"},
        Case{"whole_flow_map", "a: {b: 1, c: '}'} # stays\nd: 3\n", "a", "{b: 5}", "a: {b: 5} # stays\nd: 3\n"},
        Case{"quoted_key", "\"a\": 1 # c\n", "a", "2", "\"a\": 2 # c\n"},
        Case{"json", "{\n  \"a\": 1,\n  \"b\": {\"c\": [1, 2]}\n}\n", "b.c[0]", "5",
             "{\n  \"a\": 1,\n  \"b\": {\"c\": [5, 2]}\n}\n"}),
    [](const auto& test) { return test.param.what; });

INSTANTIATE_TEST_SUITE_P(
    missing_keys, YamlEdit,
    testing::Values(
        Case{"top", "name: x # c\n# end\n", "seed", "3", "name: x # c\nseed: 3\n# end\n"},
        Case{"top_without_newline", "name: x", "seed", "3", "name: x\nseed: 3"},
        Case{"crlf", "name: x\r\n", "seed", "3", "name: x\r\nseed: 3\r\n"},
        Case{"block_map", "a:\n    b: 1 # c\nd: 2\n", "a.e", "5", "a:\n    b: 1 # c\n    e: 5\nd: 2\n"},
        Case{"after_a_nested_map", "a:\n  b:\n    c: 1\nd: 2\n", "a.e", "5", "a:\n  b:\n    c: 1\n  e: 5\nd: 2\n"},
        Case{"after_an_empty_value", "a:\n  b: # later\nd: 2\n", "a.e", "5", "a:\n  b: # later\n  e: 5\nd: 2\n"},
        Case{"list_item", "p:\n  - name: a # x\n  - name: b\n", "p[0].n", "7",
             "p:\n  - name: a # x\n    n: 7\n  - name: b\n"},
        Case{"flow_map", "slo: {a: 1} # c\n", "slo.b", "2", "slo: {a: 1, b: 2} # c\n"},
        Case{"empty_flow_map", "slo: {}\n", "slo.b", "2", "slo: {b: 2}\n"},
        Case{"flow_map_over_lines", "slo: {\n  a: 1 # c\n}\n", "slo.b", "2", "slo: {\n  a: 1, b: 2 # c\n}\n"},
        Case{"whole_branch", "a: 1\n", "b.c.d", "2", "a: 1\nb: {c: {d: 2}}\n"},
        Case{"below_nothing", "a: # c\nb: 1\n", "a.x", "2", "a: {x: 2} # c\nb: 1\n"},
        Case{"below_null", "a: ~ # c\nb: 1\n", "a.x", "2", "a: {x: 2} # c\nb: 1\n"},
        Case{"value_of_nothing", "a:\nb: 1\n", "a", "2", "a: 2\nb: 1\n"},
        Case{"value_of_nothing_in_flow", "m: {a: , b: 1}\n", "m.a", "2", "m: {a: 2 , b: 1}\n"}),
    [](const auto& test) { return test.param.what; });

TEST(YamlEditRefuses, bad_paths) {
  EXPECT_THAT(error_of("p:\n  - a: 1\n", "p[3].a", "1"), HasSubstr("'p' has 1 entries, there is no [3]"));
  EXPECT_THAT(error_of("p: 1\n", "p.a", "1"), HasSubstr("what stands above it is no map"));
  EXPECT_THAT(error_of("p: 1\n", "p..a", "1"), HasSubstr("'p..a' is no path"));
  EXPECT_THAT(error_of("p: 1\n", "p[x]", "1"), HasSubstr("is no path"));
  EXPECT_THAT(error_of("p: 1\n", "p[99999999999999999999]", "1"), HasSubstr("is no path"));
}

TEST(YamlEditRefuses, text_or_value_that_is_no_yaml) {
  EXPECT_THAT(error_of("a: [1\n", "a", "1"), HasSubstr("s.yaml:2:1: is not valid YAML"));
  EXPECT_THAT(error_of("a: 1\n", "a", "[1"), HasSubstr("is not valid YAML"));
  EXPECT_THAT(error_of("- 1\n", "a", "1"), HasSubstr("must be a map"));
}

TEST(YamlEditRefuses, what_it_cannot_follow) {
  for (const std::string text : {"a: &x 1\nb: *x\n", "a: !t 1\n", "a: |\n  x\n  y\n"})
    EXPECT_THAT(error_of(text, "a", "2"), HasSubstr("edit the file by hand")) << text;
  EXPECT_THAT(error_of("a: one\n  two\nb: 1\n", "a", "2"), HasSubstr("edit the file by hand"));
  EXPECT_THAT(error_of("a: &x 1\nb: *x\n", "b", "2"), HasSubstr("edit the file by hand"));
}

}  // namespace servecast::yaml_edit_test
