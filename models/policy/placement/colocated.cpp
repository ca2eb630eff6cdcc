// Placement "colocated": every replica computes the prompts of its requests and decodes them.
//
// No KV moves and every GPU serves whatever there is to do. Prompts and decodes share steps, so each slows the other;
// what to do about that is the batcher's business.
#include "models/policy/placement.h"

namespace servecast {
namespace {

class Colocated final : public Placement {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit Colocated(const Settings&) {}
};

[[maybe_unused]] const bool added =
    Registry<Placement>::add<Colocated>("colocated", "every replica decodes what it has prefilled");

}  // namespace
}  // namespace servecast
