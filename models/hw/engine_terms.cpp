#include "models/hw/engine_terms.h"

namespace servecast {

double sampler_s_per_token(const EngineTerms& engine, const Llm& llm, const Gpu& gpu) {
  constexpr double fitted_bytes_per_s = 3.35e12;  // H100 SXM, data sheet
  if (llm.sampling != "topk_topp") return 0;
  const double slower = fitted_bytes_per_s / gpu.hbm_bytes_per_s;
  return engine.sampler_s_per_logit * static_cast<double>(llm.vocabulary) * slower;
}

}  // namespace servecast
