#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "models/hw/engine/calibration_error.h"
#include "models/hw/engine/engine_start.h"
#include "models/hw/engine/first_use.h"
#include "models/hw/latency/engine_terms.h"
#include "models/hw/memory/memory_plan.h"

namespace servecast {

/// The way of an output token from the end of its step to the client that sees it. Answers leave in pieces, all
/// through one event loop, which is busy with each for `piece_s`: those of a step are seen together, and those of the
/// next wait for them. So no more than 1 / `piece_s` pieces leave in a second, however fast steps are.
struct AnswerPath {
  double fixed_s = 0;
  double piece_s = 0;
  double pieces_per_token = 1;  // of decodes; every first token is a piece

  /// The loop is busy with the pieces of a step.
  double busy_s(std::int64_t first_tokens, std::int64_t decodes) const {
    return piece_s * (static_cast<double>(first_tokens) + static_cast<double>(decodes) * pieces_per_token);
  }
  /// Of a step that ends at `end_s`; the pieces of the step before were seen at `before_s`.
  double seen_s(double end_s, std::int64_t first_tokens, std::int64_t decodes, double before_s) const {
    const double free_s = before_s - fixed_s;
    return (end_s > free_s ? end_s : free_s) + fixed_s + busy_s(first_tokens, decodes);
  }
};

/// Measured servers of one model on one GPU, on which terms of an engine were fitted.
struct FittedSystem {
  std::string gpu{};
  std::string llm{};
  std::string weights{};  // empty: any
  std::string covers{};

  void fields(Fields& f) {
    f.required("gpu", gpu, "of the servers, by file");
    f.required("llm", llm, "that they served, by file");
    f.field("weights", weights, "in which they had it; left out: in any");
    f.field("covers", covers, "layouts and loads that were measured");
  }
};

/// A serving engine and its version: what it adds to the model and the GPU. A few physical terms, the same for every
/// model and GPU, each file saying what they rest on.
struct EngineProfile {
  std::string name{};  // of the file
  std::string title{};
  std::string basis = "assumed";
  std::string source{};
  std::vector<FittedSystem> fitted_on{};
  std::string kernels = "vllm";
  double request_path_s = 0;
  double request_token_s = 0;
  double frontend_sequence_s = 0;
  std::int64_t scheduling_depth = 2;
  EngineTerms step{};
  MemorySettings memory{};
  EngineStart start{};
  std::vector<FirstUse> first_use{};
  std::vector<CalibrationError> errors{};

  /// Half of the request's path lies before the engine's queue, half behind its step. Only their sum shows in TTFT
  /// and E2E, so the split itself cannot be measured from outside.
  double inbound_s(std::int64_t prompt_tokens) const {
    return request_path_s / 2 + request_token_s * static_cast<double>(prompt_tokens);
  }
  AnswerPath answer_path() const { return {.fixed_s = request_path_s / 2, .piece_s = frontend_sequence_s}; }

  void fields(Fields& f) {
    f.required("title", title, "engine and version");
    f.required("basis", basis, "fitted: on measured servers; assumed: carried over or from documents",
               {"fitted", "assumed"});
    f.required("source", source, "what the terms were fitted on, or where they come from");
    f.list("fitted_on", fitted_on,
           "measured systems that terms were fitted on, from which the report of measured servers keeps its figures "
           "apart");
    f.field("kernels", kernels, "whose kernels it runs: which profile of a GPU stands for it, <gpu>.<kernels>");
    f.field("request_path_s", request_path_s,
            "per request outside the engine: HTTP, tokeniser, processes, detokeniser, client");
    f.field("request_token_s", request_token_s,
            "more of that before the engine's queue, for each prompt token, cached or not: tokeniser, hashes of "
            "blocks, router");
    f.field("frontend_sequence_s", frontend_sequence_s,
            "its event loop is busy with each piece of an answer that it sends (a pool's `stream_interval` says how "
            "many tokens that is): tokens of a step are seen so much later for each sequence in it, and no more than "
            "one over it leave in a second");
    f.field("scheduling_depth", scheduling_depth,
            "most batches under way: 2 schedules a step while the one before runs", {.min = 1, .max = 2});
    f.group("step", step, "what the engine adds to the kernels of a step");
    f.group("memory", memory, "how it divides GPU memory");
    f.group("start", start, "how long it takes from its process's start until it serves; left out: as vLLM");
    f.list("first_use", first_use,
           "what steps of a new process wait for when they are the first to use some kernels; a pool's `first_use` "
           "says whether it has that behind it");
    f.list("errors", errors,
           "how far forecasts with these terms may be off; the first that is of a pool counts for it");
  }
};

}  // namespace servecast
