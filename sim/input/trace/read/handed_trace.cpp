#include "sim/input/trace/read/handed_trace.h"

#include <cassert>
#include <utility>
#include <vector>

#include "models/base/error.h"
#include "sim/input/trace/read/trace_file.h"

namespace servecast {
namespace {

// Not at_hand down: it would be an argument of all that reads a scenario, and of every run in a child process.
const HandedTrace* at_hand = nullptr;

}  // namespace

HandedTrace::HandedTrace(std::string name, Open open) : name_(std::move(name)), open_(std::move(open)) {
  assert(at_hand == nullptr);
  at_hand = this;
}

HandedTrace::~HandedTrace() { at_hand = nullptr; }

const HandedTrace* HandedTrace::named(const std::string& name) {
  return at_hand != nullptr && at_hand->name_ == name ? at_hand : nullptr;
}

std::unique_ptr<Workload> HandedTrace::open(const TraceOptions& options) const {
  if (options.sessions_per_s)
    throw UserError(std::vector<Problem>{{Place{}, options.sessions_per_s_path,
                                          "'sessions_per_s' is for files that do not tell when sessions start; '" +
                                              name_ + "' tells every arrival: leave it out"}});
  if (options.format != "auto")
    throw UserError("'format' is for trace files; '" + name_ + "' is none: leave it at 'auto'");
  return open_(options);
}

}  // namespace servecast
