// Migration "none": a sequence stays on the replica that admitted it.
#include <limits>

#include "models/policy/migration.h"

namespace servecast {
namespace {

class None final : public Migration {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit None(const Settings&) {}

  double check_every_s() const override { return std::numeric_limits<double>::infinity(); }
  std::vector<MigrationPair> pairs(std::span<const ReplicaView>, std::int64_t) const override { return {}; }
};

[[maybe_unused]] const bool added = Registry<Migration>::add<None>("none", "sequences stay where they were admitted");

}  // namespace
}  // namespace servecast
