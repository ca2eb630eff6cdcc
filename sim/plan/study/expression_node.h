#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/plan/study/expression.h"

namespace servecast {

/// A node of an expression's tree: "constant", "name", or an operator with its parts.
struct Expression::Node {
  std::string kind{};
  ExpressionValue constant{};  // of a "name": the name
  std::vector<std::shared_ptr<const Node>> parts{};
};

/// Requires that every name has a value. Throws UserError where kinds do not fit.
ExpressionValue evaluate(const Expression::Node& node, const Expression::Values& values);

}  // namespace servecast
