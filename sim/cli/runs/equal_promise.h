#pragma once
#include <string>
#include <vector>

namespace servecast {

class Evaluator;
struct RunRequest;

/// A scenario with as few machines as keep its promise.
struct Resized {
  std::vector<std::string> set{};  // to be added to the request's
  std::string words{};             // "replicas=3"
};

/// Sizes what a request asks for to the fewest replicas (the cheapest, of several pools) with which its slo is kept
/// at the best estimate. Throws UserError where it has none, or where no number does.
Resized resized(const RunRequest& request, Evaluator& evaluator);

}  // namespace servecast
