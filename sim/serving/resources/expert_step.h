#pragma once
#include <cstdint>
#include <vector>

#include "sim/serving/resources/expert_timeline.h"

namespace servecast {

/// What one step does with experts that are partly elsewhere: planned when it starts, played stage by stage.
struct ExpertStep {
  struct Stage {
    ExpertTimeline timeline{};
    std::vector<OwnLinks> links_before{};  // as it found them
    double begin_s = 0;
    double stretch = 1;
    double end_s = 0;            // once it is known
    double counted_s = 0;        // in the totals: nothing while its end is not known
    double counted_stall_s = 0;  // likewise
    bool shared = false;         // others use the links, and its end is not known
  };
  std::int64_t number = 0;              // of the steps planned so far
  std::vector<ExpertLayerWork> work{};  // by layer with experts
  std::vector<Stage> stages{};
};

}  // namespace servecast
