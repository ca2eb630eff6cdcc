#pragma once
#include <string_view>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

/// Reads settings structs from a text that was written as their fields say: one setting a line, in the order of the
/// fields, lists of numbers in [...], texts in double quotes. yaml-cpp takes some thousand instructions for each
/// character of such a file. Whatever stands there in any other way, wrong or not, is not understood: then the text
/// is for YamlFields, which says what is wrong and where.
class PlainFields final : public Fields {
 public:
  /// The text must outlive it.
  explicit PlainFields(std::string_view text);

  /// Every line was read, and was what the fields want. Otherwise what was read is of no use.
  bool understood() const { return understood_ && at_ == lines_.size(); }

  void visit(const About& about, double& value) override;
  void visit(const About& about, std::int64_t& value) override;
  void visit(const About& about, bool& value) override;
  void visit(const About& about, std::string& value) override;
  void visit(const About& about, std::optional<double>&) override { leave_to_yaml(about); }
  void visit(const About& about, std::optional<std::int64_t>&) override { leave_to_yaml(about); }
  void visit(const About& about, std::vector<double>& value) override;
  void visit(const About& about, std::vector<std::string>& value) override;

  void enter(const About& about) override;
  bool enter_optional(const About& about, bool present) override;
  std::size_t enter_list(const About& about, std::size_t size) override;
  void enter_item(std::size_t index) override;
  void leave() override;

 private:
  struct Line {
    std::size_t indent = 0;  // of the key
    bool item = false;       // "- " stands before it
    std::string_view key{};  // empty: an entry of a list
    std::string_view value{};
  };
  static constexpr std::size_t nowhere = std::string_view::npos;  // the indent of a map that is not there

  void add(std::string_view line);
  const Line* find(const About& about);
  bool begins_deeper() const { return at_ < lines_.size() && lines_[at_].indent > levels_.back(); }
  void leave_to_yaml(const About& about);
  bool wrong() { return understood_ = false; }

  std::vector<Line> lines_{};
  std::size_t at_ = 0;
  std::vector<std::size_t> levels_{};  // indents of the maps and lists that are open
  bool understood_ = true;
};

}  // namespace servecast
