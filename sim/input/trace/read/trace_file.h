#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "models/base/rng.h"
#include "models/policy/workload.h"
#include "sim/input/trace/rows/workload_notes.h"

namespace servecast {

/// What a trace file alone does not say.
struct TraceOptions {
  std::string format = "auto";
  std::uint64_t source = 0;  // hash ids of different sources are kept apart by this
  Rng session_starts;
  std::optional<double> sessions_per_s{};  // for sessions that the trace gives no start: Poisson; none: all at 0
  std::string sessions_per_s_path{};       // of that setting
  WorkloadNotes* notes = nullptr;          // never null; outlives the workload
};

/// The requests of a trace file. Rows without output tokens failed when they were recorded: they are left out and
/// counted in the notes. Throws UserError on a bad file; on a bad row when next() gets there.
std::unique_ptr<Workload> open_trace(const std::string& file, TraceOptions options);

}  // namespace servecast
