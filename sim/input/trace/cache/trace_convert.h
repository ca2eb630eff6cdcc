#pragma once
#include <cstdint>
#include <string>

#include "sim/input/trace/workload/workload_spec.h"

namespace servecast {

/// Writes all requests of a workload to `out` as CSV of our own format (see docs/traces.md), packed where the name
/// ends in .gz. Reading it back gives the same requests, but for the pools, which belong to a scenario. The workload
/// is read twice: once to check the whole and to see which columns it needs. Returns the number of requests.
std::int64_t convert(const WorkloadSpec& spec, const WorkloadContext& context, const std::string& out);

/// What `servecast trace make` reads: a workload and its seed.
struct MakeSpec {
  std::int64_t seed = 0;
  WorkloadSpec workload{};
  void fields(Fields& f) {
    f.field("seed", seed, "another seed gives other requests by the same rules");
    workload.fields(f);
  }
};

/// Writes the workload that a settings file describes.
std::int64_t make_trace(const std::string& settings_file, const std::string& out);

}  // namespace servecast
