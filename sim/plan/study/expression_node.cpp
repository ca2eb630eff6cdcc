#include "sim/plan/study/expression_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/base/error.h"

namespace servecast {
namespace {

std::string shown(const ExpressionValue& value) {
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const bool* yes = std::get_if<bool>(&value)) return *yes ? "true" : "false";
  return "'" + std::get<std::string>(value) + "'";
}

double number(const ExpressionValue& value, const std::string& sign) {
  if (const double* n = std::get_if<double>(&value)) return *n;
  throw UserError(fmt::format("{} is not a number, as '{}' needs", shown(value), sign));
}

bool yes(const ExpressionValue& value, const std::string& sign) {
  if (const bool* b = std::get_if<bool>(&value)) return *b;
  throw UserError(fmt::format("{} is neither true nor false, as '{}' needs", shown(value), sign));
}

double divided(double a, double b) {
  if (b == 0) throw UserError("divides by 0");
  return a / b;
}

struct Arithmetic {
  const char* sign;
  double (*of)(double, double);
};
constexpr std::array<Arithmetic, 7> arithmetic{{
    {"+", [](double a, double b) { return a + b; }},
    {"-", [](double a, double b) { return a - b; }},
    {"*", [](double a, double b) { return a * b; }},
    {"/", divided},
    {"%", [](double a, double b) { return a - b * std::floor(divided(a, b)); }},
    {"min", [](double a, double b) { return std::min(a, b); }},
    {"max", [](double a, double b) { return std::max(a, b); }},
}};

struct Order {
  const char* sign;
  bool (*of)(double, double);
};
constexpr std::array<Order, 4> orders{{
    {"<", [](double a, double b) { return a < b; }},
    {"<=", [](double a, double b) { return a <= b; }},
    {">", [](double a, double b) { return a > b; }},
    {">=", [](double a, double b) { return a >= b; }},
}};

template <class Table>
auto find(const Table& table, const std::string& sign) {
  return std::ranges::find_if(table, [&](const auto& row) { return sign == row.sign; });
}

ExpressionValue compared(const std::string& sign, const ExpressionValue& a, const ExpressionValue& b) {
  if (sign == "==" || sign == "!=") {
    if (a.index() != b.index()) throw UserError(fmt::format("compares {} with {}", shown(a), shown(b)));
    return (a == b) == (sign == "==");
  }
  return find(orders, sign)->of(number(a, sign), number(b, sign));
}

ExpressionValue folded(const Expression::Node& node, const Expression::Values& values) {
  const auto row = find(arithmetic, node.kind);
  double result = number(evaluate(*node.parts.front(), values), node.kind);
  for (std::size_t i = 1; i < node.parts.size(); ++i)
    result = row->of(result, number(evaluate(*node.parts[i], values), node.kind));
  return result;
}

}  // namespace

ExpressionValue evaluate(const Expression::Node& node, const Expression::Values& values) {
  const auto part = [&](std::size_t i) { return evaluate(*node.parts[i], values); };
  if (node.kind == "constant") return node.constant;
  if (node.kind == "name") return *values(std::get<std::string>(node.constant));
  if (node.kind == "not") return !yes(part(0), "not");
  if (node.kind == "and") return yes(part(0), "and") && yes(part(1), "and");
  if (node.kind == "or") return yes(part(0), "or") || yes(part(1), "or");
  if (node.kind == "minus") return -number(part(0), "-");
  if (find(arithmetic, node.kind) != arithmetic.end()) return folded(node, values);
  return compared(node.kind, part(0), part(1));
}

}  // namespace servecast
