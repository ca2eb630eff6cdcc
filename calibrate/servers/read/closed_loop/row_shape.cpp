#include <fmt/format.h>
#include <fmt/ranges.h>

#include "calibrate/servers/read/closed_loop/closed_loop_run.h"
#include "calibrate/servers/read/csv_rows.h"
#include "sim/input/library/llm_config.h"

namespace servecast {

RowShape row_shape(const CsvRow& row, const std::string& prefix) {
  const auto size = [&](const char* name) { return row.count_or_one(prefix + name); };
  RowShape shape{.attention_tp = size("tp_size"),
                 .attention_dp = size("attention_dp_size"),
                 .moe_tp = size("moe_tp_size"),
                 .moe_ep = size("moe_ep_size"),
                 .stages = size("pp_size")};
  const std::int64_t k = shape.moe_ep;
  if (k > 1 && shape.moe_tp == k && shape.gpus() == k * k) {
    const bool split = shape.attention_tp > 1;
    shape.attention_tp = split ? k : 1;
    shape.attention_dp = split ? 1 : k;
    shape.moe_tp = 1;
  }
  const std::int64_t both = shape.attention_dp;
  if (both > 1 && shape.attention_tp == both && shape.moe_ep == both * both) {
    shape.attention_dp = 1;
    shape.moe_ep = both;
  }
  return shape;
}

std::string shape_settings(const RowShape& shape, const BundledLlm& llm) {
  std::string text =
      fmt::format("    tensor_parallel: {}\n    pipeline_parallel: {}\n", shape.attention_tp, shape.stages);
  if (shape.moe_ep == 1 && shape.attention_dp == 1) return text;
  if (!llm.experts)
    throw NoMatch(fmt::format("{} has no experts to spread, but the row says attention_dp_size {} and moe_ep_size {}",
                              llm.name, shape.attention_dp, shape.moe_ep));
  return text + fmt::format("    data_parallel: {}\n    expert_parallel: {}\n", shape.attention_dp, shape.moe_ep);
}

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

std::string cutlass_experts(const std::string& weights) { return weights == "nvfp4" ? "moe_backend: cutlass" : ""; }

std::string latency_settings(std::vector<std::string> entries) {
  std::erase(entries, "");
  return entries.empty() ? "" : fmt::format("    latency: {{{}}}\n", fmt::join(entries, ", "));
}

}  // namespace servecast
