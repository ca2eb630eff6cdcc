// Admission "early_reject": turns a request away at once that prefill or decode could not serve within their bounds.
//
// Load is the larger of expected TTFT by its bound and the pool's decode step by its bound, both as they are now. So
// no prompt is computed only to find that there is no room to decode. But by the time that a prompt is done,
// those that decoded when it came have left: loads of the two sides swing against each other, and requests are turned
// away for a load that will be gone ("early_reject_predicted").
//
// Mooncake, arXiv 2407.00079, section 7.2 (early rejection).
#include "models/policy/shared/early_reject.h"

namespace servecast {
namespace {

class EarlyReject final : public Admission {
 public:
  using Settings = LoadLimits;
  explicit EarlyReject(const Settings& limits) : limits_(limits) {}

  bool admits(const Request& request, const ReplicaViews& replicas) override {
    const ReplicaViews& decoding = replicas.decoding();
    return limits_.allow(least_ttft_s(request, replicas), even_step_s(decoding_now(decoding), request, decoding));
  }

 private:
  Settings limits_;
};

[[maybe_unused]] const bool added = Registry<Admission>::add<EarlyReject>(
    "early_reject", "only where prefill and decode load of now allow it (Mooncake)");

}  // namespace
}  // namespace servecast
