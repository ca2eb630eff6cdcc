#pragma once
#include <nanobind/nanobind.h>

#include <vector>

#include "models/policy/request.h"

namespace servecast::python {

namespace nb = nanobind;

/// A request as a policy in Python sees it. While the policy is called it looks at the engine's own; where Python
/// keeps it longer, it has a copy.
class RequestView {
 public:
  const Request& request() const { return *now_; }
  void look_at(const Request& request) { now_ = &request; }
  void keep();

 private:
  const Request* now_ = nullptr;
  Request own_{};
  std::vector<BlockHash> blocks_{};
};

/// Shows one request after the other, by the same Python object as long as Python does not keep it.
class ShownRequest {
 public:
  ShownRequest();
  nb::handle show(const Request& request);
  /// The policy has answered: from now on the engine's request may change.
  void done();

 private:
  nb::object object_;
  RequestView* view_ = nullptr;
};

void bind_request(nb::module_& m);

}  // namespace servecast::python
