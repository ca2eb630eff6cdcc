// Autoscaler "none": all replicas of the pool serve all the time.
#include "models/policy/autoscaler.h"

namespace servecast {
namespace {

class None final : public Autoscaler {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit None(const Settings&) {}

  double next_evaluation_s(double) const override { return std::numeric_limits<double>::infinity(); }
  std::int64_t wanted(const PoolLoad& load) override { return load.replicas(); }
};

[[maybe_unused]] const bool added = Registry<Autoscaler>::add<None>("none", "all replicas serve all the time");

}  // namespace
}  // namespace servecast
