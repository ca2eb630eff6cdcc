// How servers of mixtures of experts exchange tokens and compute experts, as their engines choose without being told.
#include "calibrate/servers/read/closed_loop_run.h"
#include "sim/input/library/llm_config.h"

namespace servecast {

std::int64_t nvlink_from(const BundledLlm& llm) {
  const Llm model = load_llm(llm.name, {});
  return model.experts ? model.experts->active + 1 : 1;
}

std::string exchange_settings(const RowShape& shape, const BundledGpu& gpu, const std::string& engine,
                              std::int64_t nvlink_groups) {
  if (shape.attention_dp == 1) return "";
  const bool gathers = shape.moe_tp > 1 || engine.starts_with("vllm");
  if (!engine.starts_with("trtllm") && !gathers) return "";
  const bool nvlink = !gathers && gpu.blackwell && shape.moe_ep >= nvlink_groups;
  return nvlink ? "    expert_exchange: {kernels: nvlink}\n" : "    expert_exchange: {kernels: all_gather}\n";
}

std::string cutlass_experts(const std::string& weights) {
  return weights == "nvfp4" ? "    latency: {moe_backend: cutlass}\n" : "";
}

}  // namespace servecast
