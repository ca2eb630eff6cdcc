#include "calibrate/fit/profile_yaml.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/escaped.h"
#include "models/base/fields.h"

namespace servecast {
namespace {

/// Writes settings structs as YAML blocks. Texts and numbers that are empty or 0 and have a default are left out.
class YamlWriter final : public Fields {
 public:
  std::string take() { return std::move(text_); }

  void visit(const About& a, double& value) override { put(a, value != 0 || a.required, fmt::format("{}", value)); }
  void visit(const About& a, std::int64_t& value) override {
    put(a, value != 0 || a.required, fmt::format("{}", value));
  }
  void visit(const About& a, bool& value) override { put(a, true, value ? "true" : "false"); }
  void visit(const About& a, std::string& value) override { put(a, !value.empty() || a.required, yaml_text(value)); }
  void visit(const About& a, std::optional<double>& value) override { put(a, value.has_value(), number(value)); }
  void visit(const About& a, std::optional<std::int64_t>& value) override {
    put(a, value.has_value(), number(value));
  }
  void visit(const About& a, std::vector<double>& values) override {
    if (values.empty() && !a.required) return;
    put(a, true, fmt::format("[{}]", fmt::join(values, ", ")));
  }
  void visit(const About& a, std::vector<std::string>& values) override {
    if (values.empty()) return;
    line(fmt::format("{}:", a.key));
    for (const std::string& value : values) line("- " + yaml_text(value));
  }

  void enter(const About& a) override {
    line(fmt::format("{}:", a.key));
    indent_ += 2;
  }
  bool enter_optional(const About& a, bool present) override {
    if (present) enter(a);
    return present;
  }
  std::size_t enter_list(const About& a, std::size_t size) override {
    if (size > 0 || a.required) line(fmt::format("{}:", a.key));
    indent_ += 2;
    return size;
  }
  void enter_item(std::size_t) override {
    item_ = true;
    indent_ += 2;
  }
  void leave() override { indent_ -= 2; }

 private:
  template <class T>
  static std::string number(const std::optional<T>& value) {
    return value ? fmt::format("{}", *value) : "";
  }
  void put(const About& a, bool wanted, const std::string& value) {
    if (wanted) line(fmt::format("{}: {}", a.key, value));
  }
  void line(const std::string& content) {
    std::string lead(indent_, ' ');
    if (item_) lead.replace(lead.size() - 2, 2, "- ");
    item_ = false;
    text_ += lead + content + "\n";
  }

  std::string text_;
  std::size_t indent_ = 0;
  bool item_ = false;
};

}  // namespace

std::string profile_yaml(const KernelProfile& profile, const std::string& comment) {
  KernelProfile copy = profile;  // fields() takes what it visits by reference
  YamlWriter writer;
  copy.fields(writer);
  std::string text;
  std::size_t at = 0;
  while (at < comment.size()) {
    const std::size_t end = std::min(comment.find('\n', at), comment.size());
    text += comment_line(comment.substr(at, end - at));
    at = end + 1;
  }
  return text + writer.take();
}

}  // namespace servecast
