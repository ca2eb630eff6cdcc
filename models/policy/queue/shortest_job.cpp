// Queue "shortest_job": the shortest predicted output first (speculative shortest job first, Qiu et al., 2024).
//
// The prediction is the true length times a lognormal error, the same for a request wherever it goes; an error of 0
// is an oracle. Long outputs can starve.
#include "models/base/rng.h"
#include "models/policy/shared/ranked_queue.h"

namespace servecast {
namespace {

class ShortestJob final : public RankedQueue {
 public:
  struct Settings {
    double error_sigma = 0;
    void fields(Fields& f) {
      f.field("error_sigma", error_sigma, "standard deviation of the logarithm of predicted over true length");
    }
  };
  explicit ShortestJob(const Settings& settings) : settings_(settings) {}

 private:
  double rank(const Request& request) const override {
    const auto true_tokens = static_cast<double>(request.output_tokens);
    if (settings_.error_sigma == 0) return true_tokens;
    return true_tokens * Rng(index(request.id), "predicted_output_tokens").lognormal(0, settings_.error_sigma);
  }
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<WaitingQueue>::add<ShortestJob>("shortest_job", "shortest predicted output first");

}  // namespace
}  // namespace servecast
