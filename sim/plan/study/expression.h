#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace servecast {

/// What an expression is about: a number, a text, or yes and no.
using ExpressionValue = std::variant<double, std::string, bool>;

/// "16" is a number, "true" is yes, anything else is a text.
ExpressionValue value_of_text(const std::string& text);

/// An expression over named values, such as `tensor_parallel * replicas <= 16 and gpu != 'a100_sxm_80g'`.
///
/// From loose to tight: or; and; not; == != < <= > >=; + -; * / %; minus sign; numbers, 'texts', true, false, names,
/// (...), min(a, b, ...), max(a, b, ...). Texts are compared with == and != only; nothing turns a text into a number.
class Expression {
 public:
  /// What a name stands for; nothing where it has no value here.
  using Values = std::function<std::optional<ExpressionValue>(const std::string& name)>;
  struct Node;

  /// Throws UserError that says what is wrong and at which letter.
  explicit Expression(std::string text);

  const std::string& text() const { return text_; }
  /// Names in it, sorted, each once.
  const std::vector<std::string>& names() const { return names_; }

  /// Nothing where a name in it has no value. Throws UserError where kinds do not fit or a number is divided by 0.
  std::optional<ExpressionValue> value(const Values& values) const;
  /// The same, of an expression that says yes or no. Throws UserError for anything else.
  std::optional<bool> holds(const Values& values) const;

 private:
  std::string text_;
  std::vector<std::string> names_{};
  std::shared_ptr<const Node> root_;  // shared: expressions are copied, their trees never change
};

}  // namespace servecast
