#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "models/base/counts.h"
#include "models/base/fields.h"
#include "models/hw/llm/llm.h"

namespace servecast {

/// What a replica does between the arrival of what it loads and its first request, phase by phase.
struct StartPhases {
  double imports_s = 0;
  double gpu_load_s = 0;
  double engine_init_s = 0;
  double restore_s = 0;  // of a snapshot, in place of the others

  double sum() const { return imports_s + gpu_load_s + engine_init_s + restore_s; }
};

/// How long an engine takes to start, on a server of its own without a cache of compiled graphs. The defaults are
/// those of vLLM 0.10 on H100: linear in layers within 7 % for 15 dense models of 24 to 48 layers ("Breaking the
/// Ice", arXiv 2606.07362; its logs, experiments/node7/examples/model_size/uncached). Three models with experts took
/// 0.45 to 0.61 s more for each layer that has them.
struct EngineStart {
  double imports_s = 12;
  std::optional<double> checkpoint_bytes_per_s{};
  double init_s = 3.8;
  double layer_init_s = 0.79;
  double expert_layer_init_s = 0.47;
  std::string source{};

  /// Of a pipeline stage, all of which start at once; each of its processes reads the whole checkpoint.
  StartPhases phases(const Llm& llm, double checkpoint_bytes, std::int64_t stages) const {
    const double layers = real(llm.layers) * layer_init_s + real(llm.expert_layers()) * expert_layer_init_s;
    return {.imports_s = imports_s,
            .gpu_load_s = checkpoint_bytes_per_s ? checkpoint_bytes / *checkpoint_bytes_per_s : 0,
            .engine_init_s = init_s + layers / real(stages)};
  }

  void fields(Fields& f) {
    f.field("imports_s", imports_s, "process start, imports and all else before it loads weights");
    f.field("checkpoint_bytes_per_s", checkpoint_bytes_per_s,
            "rate at which each of its processes reads the whole checkpoint into GPU memory from the host's; left "
            "out: while it arrives",
            positive);
    f.field("init_s", init_s, "from then until it serves, whatever the model");
    f.field("layer_init_s", layer_init_s,
            "more for each layer of a pipeline stage: graphs are compiled and captured, memory is measured");
    f.field("expert_layer_init_s", expert_layer_init_s, "more for each of these that has experts");
    f.field("source", source, "where these come from");
  }
};

}  // namespace servecast
