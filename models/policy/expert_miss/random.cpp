// Expert miss "random": an expert drawn at random from those in the GPU's memory stands in.
//
// The yardstick that BuddyMoE measures itself against: as fast as it gets, and the worst answers. Waits only where a
// token finds no further expert in the GPU's memory.
#include <algorithm>

#include "models/policy/expert_miss.h"

namespace servecast {
namespace {

class RandomStandIns final : public ExpertMiss {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit RandomStandIns(const Settings&) {}

  void answer(const MissView& view, Rng& rng, std::span<ServedChoice> served) const override {
    for (std::size_t begin = 0; begin < served.size(); begin += view.active) {
      const std::span<ServedChoice> token = served.subspan(begin, view.active);
      for (ServedChoice& choice : token) {
        if (choice.by != ServedBy::load) continue;
        std::vector<ExpertId> free;
        for (std::size_t i = 0; i < view.on_gpu.size(); ++i) {
          const ExpertId expert{static_cast<std::uint16_t>(i)};
          if (view.on_gpu[i] && std::ranges::find(token, expert, &ServedChoice::expert) == token.end())
            free.push_back(expert);
        }
        if (!free.empty()) choice = {.by = ServedBy::buddy, .expert = free[rng.below(free.size())]};
      }
    }
  }
};

[[maybe_unused]] const bool added =
    Registry<ExpertMiss>::add<RandomStandIns>("random", "any expert in the GPU's memory stands in");

}  // namespace
}  // namespace servecast
