// Expert miss "cpu": the host computes the missing experts, from its own memory, beside the GPU.
//
// Right for few tokens, where reading an expert from DRAM is cheaper than moving it over PCIe (Fiddler, arXiv
// 2402.07033). An expert that many tokens want is loaded all the same where that takes less time, as there. Answers
// are those of the model.
#include <algorithm>
#include <map>

#include "models/policy/expert_miss.h"

namespace servecast {
namespace {

class CpuMisses final : public ExpertMiss {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit CpuMisses(const Settings&) {}

  bool computes_on_host() const override { return true; }

  void answer(const MissView& view, Rng&, std::span<ServedChoice> served) const override {
    std::map<ExpertId, double> tokens;
    for (const ServedChoice& choice : served)
      if (choice.by == ServedBy::load) tokens[choice.expert] += 1;
    for (ServedChoice& choice : served) {
      if (choice.by != ServedBy::load) continue;
      const double host_s = std::max(view.costs.host_expert_s, tokens[choice.expert] * view.costs.host_token_s);
      if (host_s <= view.costs.load_s) choice.by = ServedBy::host;
    }
  }
};

[[maybe_unused]] const bool added =
    Registry<ExpertMiss>::add<CpuMisses>("cpu", "the host computes them where that is faster than loading");

}  // namespace
}  // namespace servecast
