#pragma once
#include <functional>
#include <memory>
#include <string>

#include "models/policy/workload.h"

namespace servecast {

struct TraceOptions;

/// While it lives, `workload.trace.path` may name it like a file: requests that the process itself makes, as the
/// Python module does with a trace written in Python. One at a time.
class HandedTrace {
 public:
  using Open = std::function<std::unique_ptr<Workload>(const TraceOptions&)>;

  HandedTrace(std::string name, Open open);
  ~HandedTrace();
  HandedTrace(const HandedTrace&) = delete;
  HandedTrace& operator=(const HandedTrace&) = delete;

  /// The one of this name; null: the name is a file's.
  static const HandedTrace* named(const std::string& name);
  /// Throws UserError for options that only a file has a use for.
  std::unique_ptr<Workload> open(const TraceOptions& options) const;

 private:
  std::string name_;
  Open open_;
};

}  // namespace servecast
