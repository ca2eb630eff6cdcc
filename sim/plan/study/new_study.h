#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/study/gpu_choice.h"

namespace servecast {

/// What a new study is about: a scenario, or a model with what arrives.
struct NewStudy {
  std::string scenario{};  // a file; empty: what follows
  std::string model{};
  std::string weights{};
  std::string trace{};  // a file; empty: made up by these means
  std::optional<double> rate_per_s{};
  double prompt_tokens = 0;
  double output_tokens = 0;
  std::int64_t requests = 0;
  std::optional<double> ttft_p99_s{};
  std::optional<double> tpot_p99_s{};
  std::vector<GpuChoice> gpus{};  // of a scenario's study empty: its own
  std::int64_t max_gpus = 0;      // of each kind
  bool one_run = false;           // judge by one run, without draws
};

/// The study as a file, with comments that say what each part asks and what to change. `name` is the file it is
/// written to; files named in it are seen from there. Throws UserError where it lacks something.
std::string new_study_text(const NewStudy& study, const std::string& name);

}  // namespace servecast
