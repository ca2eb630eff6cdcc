// Admission "none": every request is admitted, and waits as long as it takes.
#include "models/policy/admission.h"

namespace servecast {
namespace {

class None final : public Admission {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit None(const Settings&) {}

  bool reads_state() const override { return false; }
  bool admits(const Request&, const ReplicaViews&) override { return true; }
};

[[maybe_unused]] const bool added = Registry<Admission>::add<None>("none", "every request is admitted");

}  // namespace
}  // namespace servecast
