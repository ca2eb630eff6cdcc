#pragma once
#include <nanobind/nanobind.h>

#include <memory>

#include "models/policy/workload.h"

namespace servecast {
struct TraceOptions;
}

namespace servecast::python {

namespace nb = nanobind;

/// The requests that a Python iterable gives: servecast.Request, or (arrival_s, prompt_tokens, output_tokens).
std::unique_ptr<Workload> open_python_trace(const nb::object& trace, const TraceOptions& options);

void bind_trace(nb::module_& m);

}  // namespace servecast::python
