#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/data_type.h"
#include "models/hw/memory/memory_plan.h"
#include "sim/input/scenario/hardware_files.h"

namespace servecast {

/// A model on GPUs, under vLLM 0.15.
struct Served {
  std::string llm;
  std::string gpu;
  std::int64_t tensor_parallel = 1;
  WeightTypes weights{};

  auto operator<=>(const Served&) const = default;
};

/// The models behind a forecast, asked one question at a time: what claims are checked with.
class ClaimModels {
 public:
  const Llm& llm(const std::string& name);
  const Gpu& gpu(const std::string& name);
  const Node& node(const std::string& name);
  const Fabric& fabric(const std::string& name);
  const EngineProfile& engine();

  /// A prompt computed in one step, by itself.
  double prefill_s(const Served& served, std::int64_t prompt_tokens);
  /// A step that gives each of so many sequences its next token.
  double decode_s(const Served& served, std::int64_t sequences, std::int64_t context_tokens);
  /// A prompt and so many output tokens, with the GPUs to itself.
  double request_s(const Served& served, std::int64_t prompt_tokens, std::int64_t output_tokens);
  /// Tokens of KV that one replica holds.
  std::int64_t kv_tokens(const Served& served);
  /// Arithmetic of a prompt of so many tokens, LM head once.
  double prompt_flop(const std::string& llm, std::int64_t tokens);

 private:
  const StepLatency& latency(const Served& served);

  HardwareFiles files_{};
  std::map<Served, std::unique_ptr<StepLatency>> latencies_{};
};

}  // namespace servecast
