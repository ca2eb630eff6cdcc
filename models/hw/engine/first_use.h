#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

/// Steps that are the first to use some kernels.
enum class FirstUser : std::uint8_t {
  prompt,   // computes prompts
  backlog,  // computes prompts, and others have to wait for the next one
};

/// What a process's first such step waits for.
struct FirstUseWait {
  FirstUser step{};
  double seconds = 0;
};

/// Kernels that an engine's process loads, or compiles where no cache of an earlier process has them, when a step
/// first uses them.
struct FirstUse {
  std::string step = "prompt";
  std::vector<std::string> gpus{};  // empty: all
  std::string attention = "any";
  double load_s = 0;
  double compile_s = 0;
  std::string source{};

  bool is_of(std::string_view gpu, bool latent_attention) const;

  void fields(Fields& f) {
    f.field("step", step,
            "the first one that waits. prompt: that computes prompts; backlog: that leaves others to the step after",
            {"prompt", "backlog"});
    f.field("gpus", gpus, "pools on these GPUs, by file; none: on any");
    f.field("attention", attention, "of their models; mla: latent attention", {"any", "mla"});
    f.field("load_s", load_s, "until a new process has the kernels from its cache");
    f.field("compile_s", compile_s, "more where they are compiled first");
    f.field("source", source, "what the times were fitted on, or where they come from");
  }
};

/// How much of that a pool's replicas have behind them.
struct FirstUsePool {
  std::string_view gpu{};
  bool latent_attention = false;
  std::string_view state{};  // PoolSpec::first_use
};
/// What is left to wait for: of a process that has served before the run, and of one that starts in it.
std::vector<FirstUseWait> first_waits(const std::vector<FirstUse>& uses, const FirstUsePool& pool);
std::vector<FirstUseWait> new_process_waits(const std::vector<FirstUse>& uses, const FirstUsePool& pool);

}  // namespace servecast
