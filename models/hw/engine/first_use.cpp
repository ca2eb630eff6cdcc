#include "models/hw/engine/first_use.h"

#include <algorithm>

namespace servecast {

bool FirstUse::is_of(std::string_view gpu, bool latent_attention) const {
  return (gpus.empty() || std::ranges::find(gpus, gpu) != gpus.end()) && (attention == "any" || latent_attention);
}

std::vector<FirstUseWait> first_waits(const std::vector<FirstUse>& uses, const FirstUsePool& pool) {
  return pool.state == "warmed_up" ? std::vector<FirstUseWait>{} : new_process_waits(uses, pool);
}

std::vector<FirstUseWait> new_process_waits(const std::vector<FirstUse>& uses, const FirstUsePool& pool) {
  std::vector<FirstUseWait> waits;
  for (const FirstUse& use : uses)
    if (use.is_of(pool.gpu, pool.latent_attention))
      waits.push_back({.step = use.step == "prompt" ? FirstUser::prompt : FirstUser::backlog,
                       .seconds = use.load_s + (pool.state == "compiled" ? use.compile_s : 0)});
  return waits;
}

}  // namespace servecast
