// Admission "reject_by_stage": looks at prefill when a request arrives and at decode when its prompt is computed.
//
// What "early_reject" is compared with: either bound is checked when its stage is about to begin. Where another pool
// decodes, a prompt is computed and then turned away if that pool is too full by then, and what it cost is lost.
// Where the same replicas decode, their step is not looked at.
//
// Mooncake, arXiv 2407.00079, section 7.2 (the baseline of table 3).
#include "models/policy/shared/early_reject.h"

namespace servecast {
namespace {

class RejectByStage final : public Admission {
 public:
  using Settings = LoadLimits;
  explicit RejectByStage(const Settings& limits) : limits_(limits) {}

  bool admits(const Request& request, const ReplicaViews& replicas) override {
    return limits_.allow(least_ttft_s(request, replicas), 0);
  }
  bool admits_decode(const Request& request, const ReplicaViews& decoding) override {
    return limits_.allow(0, even_step_s(decoding_now(decoding), request, decoding));
  }

 private:
  Settings limits_;
};

[[maybe_unused]] const bool added = Registry<Admission>::add<RejectByStage>(
    "reject_by_stage", "prefill load on arrival, decode load when the prompt is computed (Mooncake's baseline)");

}  // namespace
}  // namespace servecast
