#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/hw/latency/step_latency.h"
#include "sim/serving/resources/expert_step.h"

namespace servecast {

/// A replica's batches where prompts and decodes run at the same time on the same GPUs; elsewhere all are `decode`.
enum class Side : std::uint8_t { decode, prefill };

/// A batch in one pipeline stage, from when it has the stage's GPUs until the next stage can go on with it.
struct StageRun {
  double begin_s = 0;
  StageTime alone{};                                         // of the computation, with the GPUs to itself
  double alone_end_s = 0;                                    // if it waits for nothing that follows
  double sent_s = -std::numeric_limits<double>::infinity();  // when what it sent as flows lets it end
  std::int64_t sending = 0;                                  // flows of that under way
  std::array<bool, 2> sends{};                               // by Reach: it has made flows of these
  bool experts_open = false;                                 // experts are on their way over links that others use
  double end_s = 0;                                          // infinite while it is not known
  // What it takes up to `counted_end_s`, waiting included:
  double counted_end_s = 0;
  double busy_s = 0;
  double extrapolated_s = 0;  // the part of it outside the fitted range
  double energy_j = 0;
};

/// A batch on its way through the stages.
struct StepRun {
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  std::uint64_t number = 0;  // of the batches launched so far
  std::size_t lane = 0;      // that launched it
  Side side = Side::decode;
  double ready_s = 0;                // the first stage may begin; infinite while adapters are awaited
  double expected_ready_s = 0;       // the same, if the adapters have their links to themselves
  double due_s = infinity;           // when it enters its next stage, where that is looked at only then
  std::int64_t fetches = 0;          // of prompts' KV, layer by layer, that the first stage waits for
  double first_layer_s = -infinity;  // when the first layer of all that was fetched had come
  double last_layer_s = -infinity;   // likewise
  std::vector<StageRun> stages{};    // of the stages entered so far
  std::optional<ExpertStep> experts{};
  std::optional<double> beside_until_s{};  // see StepRecord
  bool reported = false;                   // its chunks are reported

  /// Starts over, and keeps its memory. What launching it sets stays.
  void clear() {
    due_s = infinity;
    fetches = 0;
    first_layer_s = last_layer_s = -infinity;
    stages.clear();
    experts.reset();
    beside_until_s.reset();
    reported = false;
  }
  /// Summed over the stages entered so far.
  double sum(double StageRun::*what) const {
    double sum = 0;
    for (const StageRun& stage : stages) sum += stage.*what;
    return sum;
  }
};

}  // namespace servecast
