#pragma once
#include <cstdint>
#include <vector>

#include "models/hw/step_latency.h"
#include "sim/serving/decode_set.h"

namespace servecast {

/// A group of sequences that step together. A replica has one lane; with pipeline parallelism as many as stages, so
/// that every stage can have a batch: a sequence belongs to the lane that admitted it, and while the lane's batch is
/// under way none of its sequences can be scheduled again.
struct Lane {
  explicit Lane(std::int64_t growth_tokens) : decodes(growth_tokens) {}

  struct Chunk {
    Slot slot{};
    std::int64_t tokens = 0;
  };
  struct Fresh {  // sequences that got their last token outside a decode step, all at the same instant
    double token_s = 0;
    std::int64_t count = 0;
  };

  DecodeSet decodes;
  std::vector<Slot> prefilling{};  // admitted, prompt not finished; in order of admission

  // The batch under way or being filled.
  bool busy = false;
  bool decoded = false;  // the decodes take part
  std::vector<Chunk> chunks{};
  std::int64_t preempted = 0;  // sequences thrown out while this batch was filled
  StepWork work{};
  double start_s = 0;
  double end_s = 0;
  double stages_s = 0;        // time in stages, summed
  double extrapolated_s = 0;  // the part of it outside the fitted range
  double energy_j = 0;
  std::int64_t used_blocks = 0;

  // For token gaps.
  double last_decode_s = 0;       // end of the last step in which the decodes took part
  std::vector<Fresh> fresh{};     // members that joined since
  std::int64_t spare_blocks = 0;  // that must be free beside those due, or the exact rules decide
  bool repeat = false;            // the next batch is this one with one more token per sequence
};

}  // namespace servecast
