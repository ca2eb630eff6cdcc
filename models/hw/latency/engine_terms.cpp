#include "models/hw/latency/engine_terms.h"

#include "models/base/stable_math.h"

namespace servecast {

double sampler_s_per_token(const EngineTerms& engine, const Llm& llm, const Gpu& gpu) {
  constexpr double fitted_bytes_per_s = 3.35e12;  // H100 SXM, data sheet
  if (llm.sampling != "topk_topp") return 0;
  const double slower = fitted_bytes_per_s / gpu.hbm_bytes_per_s;
  return engine.sampler_s_per_logit * static_cast<double>(llm.vocabulary) * slower;
}

double all_reduce_wait_s(const EngineTerms& engine, const Gpu& gpu, std::int64_t ranks) {
  if (ranks > 1 && gpu.nvlink_bytes_per_s == 0 && engine.pcie_all_reduce_wait_s)
    return *engine.pcie_all_reduce_wait_s;
  return engine.all_reduce_wait_s * stable::log(static_cast<double>(ranks)) / stable::log(2);
}

}  // namespace servecast
