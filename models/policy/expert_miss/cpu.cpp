// Expert miss "cpu": the host computes the missing experts, from its own memory, beside the GPU.
//
// Right for few tokens, where reading an expert from DRAM is cheaper than moving it over PCIe (Fiddler, arXiv
// 2402.07033). Each expert takes the quickest way: what is left of a prefetch, a load of its own, or the host.
// Answers are those of the model.
#include "models/policy/expert_miss.h"
#include "models/policy/experts/host_or_load.h"

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
    compute_on_host_where_sooner(view, served);
  }
};

[[maybe_unused]] const bool added =
    Registry<ExpertMiss>::add<CpuMisses>("cpu", "the host computes them where that is faster than loading");

}  // namespace
}  // namespace servecast
