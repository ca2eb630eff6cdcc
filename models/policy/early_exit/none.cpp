// Early exit "none": every token runs all layers.
#include "models/policy/early_exit.h"

namespace servecast {
namespace {

class None final : public EarlyExit {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit None(const Settings&) {}
};

[[maybe_unused]] const bool added = Registry<EarlyExit>::add<None>("none", "every token runs all layers");

}  // namespace
}  // namespace servecast
