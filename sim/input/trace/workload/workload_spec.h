#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/policy/workload.h"
#include "sim/input/trace/formats/trace_format.h"
#include "sim/input/trace/generate/generator.h"
#include "sim/input/trace/rows/workload_notes.h"
#include "sim/input/trace/workload/request_labels.h"
#include "sim/input/trace/workload/transform.h"
#include "sim/input/yaml/yaml_fields.h"

namespace servecast {

/// A recorded trace.
struct TraceSpec {
  std::string path{};
  std::string format = "auto";
  std::optional<double> sessions_per_s{};
  TransformSpec transform{};
  void fields(Fields& f) {
    f.required("path", path, "trace file, plain or gzip; relative to the folder of this file");
    f.field("format", format, "what the file looks like; auto: told by its first line", trace_format_choices());
    f.field("sessions_per_s", sessions_per_s,
            "where the trace does not tell when sessions start: Poisson at this rate; left out: all start at 0; "
            "refused elsewhere",
            positive);
    transform.fields(f);
  }
};

/// A workload made up by rule, changed like a trace.
struct GeneratedSpec {
  GenerateSpec generate{};
  TransformSpec transform{};
  void fields(Fields& f) {
    generate.fields(f);
    transform.fields(f);
  }
};

/// One source of requests: exactly one of a trace and a generator.
struct SourceSpec {
  std::optional<TraceSpec> trace{};
  std::optional<GeneratedSpec> generate{};
  RequestLabels labels{};
  void fields(Fields& f);
};

/// The part `workload:` of a scenario: one source, or several at once.
struct WorkloadSpec {
  SourceSpec source{};
  std::vector<SourceSpec> mix{};
  void fields(Fields& f) {
    source.fields(f);
    f.list("mix", mix, "several sources, merged by time of arrival");
  }
};

/// What a workload needs to know of the run it is part of.
struct WorkloadContext {
  std::uint64_t seed = 0;
  std::filesystem::path base_folder{};  // relative paths start here
  std::vector<std::string> pools{};     // by index(PoolId); empty: pools are not known and may not be named
  const YamlText* text = nullptr;       // for the places of settings; null: not from a file
  std::string path = "workload";        // where in that text the WorkloadSpec was read
  WorkloadNotes* notes = nullptr;       // never null in make_workload(); outlives the workload
};

/// Everything wrong with the settings that shows without opening a trace.
std::vector<Problem> workload_problems(const WorkloadSpec& spec, const WorkloadContext& context);

/// Throws UserError with all problems, or with what is wrong with a trace file. Ids are 0, 1, 2, ... in the order in
/// which requests are given out. A request without `pool` goes to the first one.
std::unique_ptr<Workload> make_workload(const WorkloadSpec& spec, const WorkloadContext& context);

}  // namespace servecast
