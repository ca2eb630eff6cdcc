#pragma once
#include <yaml-cpp/yaml.h>

#include <map>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/fields.h"

namespace servecast {

struct Money;

/// A parsed YAML (or JSON) text with what the reader needs beside the nodes: its name, the places of settings given
/// on the command line, and everything found wrong so far.
struct YamlText {
  std::string file;
  YAML::Node root;
  std::map<std::string, std::string> overrides;  // path -> "--set path=value"
  std::map<std::string, YAML::Mark> places{};    // path -> where it was read; filled by YamlFields
  std::vector<Problem> problems{};

  /// Throws UserError when the file is missing or is no YAML. "FILE#KEY" is the map under that key of the file.
  static YamlText load(const std::string& file);
  /// The same in two steps: the whole text of the file, and what it says.
  static std::string read(const std::string& file);
  static YamlText parse(const std::string& yaml, const std::string& file);
  /// "FILE" of "FILE#KEY".
  static std::string file_of(const std::string& name);
  /// As it was read, sharing nothing with this one.
  YamlText clone() const { return {.file = file, .root = YAML::Clone(root), .overrides = overrides}; }

  /// As YAML, without the comments.
  std::string text() const;

  /// Puts `value` (parsed as YAML) at `path`, e.g. "pools[0].router.policy" or "pools.chat.router.policy". `given`
  /// says in messages where that was asked for; left out: "--set path=value". Throws UserError on a bad path.
  void set(const std::string& named_path, const std::string& value, std::string given = "");

  /// Where this setting, or the nearest one above it, was given.
  Place place(const std::string& path) const;
  void fail(const std::string& path, const std::string& message);
  /// Throws all problems found, if any.
  void throw_problems() const;
};

/// Reads settings structs from a YamlText. Wrong and unknown keys are collected as problems, each with its place, so
/// that a user sees them all at once.
class YamlFields final : public Fields {
 public:
  explicit YamlFields(YamlText& text);

  void visit(const About& about, double& value) override { read(about, value); }
  void visit(const About& about, std::int64_t& value) override { read(about, value); }
  void visit(const About& about, bool& value) override { read(about, value); }
  void visit(const About& about, std::string& value) override { read(about, value); }
  void visit(const About& about, std::optional<double>& value) override { read(about, value); }
  void visit(const About& about, std::optional<std::int64_t>& value) override { read(about, value); }
  void visit(const About& about, std::vector<double>& value) override { read(about, value); }
  void visit(const About& about, std::vector<std::string>& value) override { read(about, value); }

  void enter(const About& about) override;
  bool enter_optional(const About& about, bool present) override;
  std::size_t enter_list(const About& about, std::size_t size) override;
  void enter_item(std::size_t index) override;
  std::vector<std::string> enter_named(const About& about, std::vector<std::string> names) override;
  void leave() override;      // a map left behind reports the keys that no field asked for
  void finish() { leave(); }  // of the top level

 private:
  struct Entry {
    std::string key;
    YAML::Node value;
    YAML::Mark mark;     // of the key
    bool asked = false;  // by a field
  };
  struct Level {
    std::string path;
    std::vector<Entry> entries{};      // of a map
    std::vector<std::string> known{};  // keys asked for; not needed of an empty map
    YAML::Node items{};                // of a list
    bool list = false;
    bool broken = false;  // no map where one should be: said once, so nothing in it is missed
  };
  template <class T>
  void read(const About& about, T& value);
  template <class T>
  void take_money(const About& about, const Money& money, T& value);
  template <class Value>
  static bool decode(const YAML::Node& node, Value& value);
  const YAML::Node* find(const About& about);  // null where the key is absent
  std::string path_of(std::string_view key) const;
  void push_map(const YAML::Node& node, std::string path);
  std::vector<Entry> entries_of(const YAML::Node& map, const std::string& path);

  YamlText& text_;
  std::vector<Level> levels_;
};

}  // namespace servecast
