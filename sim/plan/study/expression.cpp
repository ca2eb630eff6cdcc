#include "sim/plan/study/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

#include "models/base/error.h"
#include "sim/plan/study/expression_node.h"

namespace servecast {
namespace {

using NodePtr = std::shared_ptr<const Expression::Node>;

/// Operators by how loosely they bind; those of one line bind alike, from left to right.
const std::array<std::vector<std::string_view>, 5> levels{{{"or"},
                                                           {"and"},
                                                           {"<=", ">=", "==", "!=", "<", ">"},
                                                           {"+", "-"},
                                                           {"*", "/", "%"}}};
constexpr std::size_t comparisons = 2;  // the level below which `not` stands

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  NodePtr parse() {
    NodePtr root = level(0);
    if (skip_spaces(); at_ < text_.size()) fail("does not go on like this");
    return root;
  }
  const std::set<std::string>& names() const { return names_; }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("'{}' {} at letter {}", text_, what, at_ + 1));
  }

  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  /// Steps over the sign or word if it is next.
  bool take(std::string_view sign) {
    skip_spaces();
    if (!std::string_view(text_).substr(at_).starts_with(sign)) return false;
    const std::size_t after = at_ + sign.size();
    if (is_word(sign.front()) && after < text_.size() && is_word(text_[after])) return false;
    at_ = after;
    return true;
  }

  void expect(std::string_view sign) {
    if (!take(sign)) fail(fmt::format("lacks a '{}'", sign));
  }

  std::string_view take_any(const std::vector<std::string_view>& signs) {
    for (const std::string_view sign : signs)
      if (take(sign)) return sign;
    return {};
  }

  NodePtr level(std::size_t i) {
    if (i == levels.size()) return factor();
    if (i == comparisons && take("not")) return node("not", {level(i)});
    NodePtr left = level(i + 1);
    while (true) {
      const std::string_view sign = take_any(levels[i]);
      if (sign.empty()) return left;
      left = node(std::string(sign), {left, level(i + 1)});
      if (i == comparisons) return left;  // a < b < c says something else than it looks like
    }
  }

  NodePtr factor() {
    skip_spaces();
    if (take("-")) return node("minus", {factor()});
    if (take("(")) {
      NodePtr inside = level(0);
      expect(")");
      return inside;
    }
    if (at_ >= text_.size()) fail("ends too early");
    if (text_[at_] == '\'' || text_[at_] == '"') return quoted();
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.') return number();
    if (is_word(text_[at_])) return word();
    fail("does not go on like this");
  }

  NodePtr quoted() {
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string::npos) fail("has a text without an end");
    const std::string inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return constant(inside);
  }

  NodePtr number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    const auto after = static_cast<std::size_t>(end - text_.data());
    if (error != std::errc() || (after < text_.size() && is_word(text_[after]))) fail("has no number");
    at_ = after;
    return constant(value);
  }

  NodePtr word() {
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string name = text_.substr(at_, end - at_);
    if (name == "and" || name == "or" || name == "not") fail(fmt::format("has an '{}' that joins nothing", name));
    at_ = end;
    if (name == "true" || name == "false") return constant(name == "true");
    if ((name == "min" || name == "max") && take("(")) return function(name);
    names_.insert(name);
    return std::make_shared<Expression::Node>(Expression::Node{.kind = "name", .constant = name, .parts = {}});
  }

  NodePtr function(const std::string& name) {
    std::vector<NodePtr> parts;
    do parts.push_back(level(0));
    while (take(","));
    expect(")");
    return node(name, std::move(parts));
  }

  static NodePtr constant(ExpressionValue value) {
    return std::make_shared<Expression::Node>(
        Expression::Node{.kind = "constant", .constant = std::move(value), .parts = {}});
  }
  static NodePtr node(std::string kind, std::vector<NodePtr> parts) {
    return std::make_shared<Expression::Node>(
        Expression::Node{.kind = std::move(kind), .constant = {}, .parts = std::move(parts)});
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::set<std::string> names_{};
};

}  // namespace

ExpressionValue value_of_text(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) return value;
  return text;
}

Expression::Expression(std::string text) : text_(std::move(text)) {
  Parser parser(text_);
  root_ = parser.parse();
  names_.assign(parser.names().begin(), parser.names().end());
}

std::optional<ExpressionValue> Expression::value(const Values& values) const {
  for (const std::string& name : names_)
    if (!values(name)) return std::nullopt;
  try {
    return evaluate(*root_, values);
  } catch (const UserError& error) {
    throw UserError("'" + text_ + "': " + error.what());
  }
}

std::optional<bool> Expression::holds(const Values& values) const {
  const auto found = value(values);
  if (!found) return std::nullopt;
  if (const bool* yes = std::get_if<bool>(&*found)) return *yes;
  throw UserError("'" + text_ + "' is neither true nor false; compare it with something, e.g. <= 16");
}

}  // namespace servecast
