#include "sim/plan/answer/head_room.h"

#include <array>
#include <vector>

#include "sim/plan/judge/sizer.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/study/space.h"

namespace servecast {
namespace {

constexpr double head_room_close_enough = 1.02;
constexpr double most_head_room = 64;

class Bracket {
 public:
  Bracket(Sizer& sizer, Runs& runs, const SizedDesign& sized) : sizer_(sizer), runs_(runs), sized_(sized) {}

  /// Tries three demands at once, rising; moves the ends to the pair between which the promise breaks.
  void narrow(const std::array<double, 3>& factors) {
    std::array<SizedDesign, 3> designs;
    std::vector<DrawRequest> requests;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      Design design = sized_.design;
      design.rate_factor *= factors[i];
      designs[i] = sizer_.size(design);
      requests.push_back({&designs[i], 0});
    }
    const std::vector<DrawOutcome> outcomes = runs_.judge(requests);
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (!outcomes[i].kept) {
        broken = factors[i];
        found.binding = outcomes[i].why;
        return;
      }
      found.factor = factors[i];
    }
  }

  HeadRoom found{};
  double broken = 0;  // 0: nothing has broken it yet

 private:
  Sizer& sizer_;
  Runs& runs_;
  const SizedDesign& sized_;
};

}  // namespace

std::optional<HeadRoom> head_room(Sizer& sizer, Runs& runs, const SizedDesign& sized) {
  if (sized.promises.empty() || !sizer.workload(sized, sizer.seed(sized, 0)).open_loop) return std::nullopt;
  const std::vector<DrawRequest> today{{&sized, 0}};
  if (!runs.judge(today).front().kept) return std::nullopt;
  Bracket bracket(sizer, runs, sized);
  while (bracket.broken == 0 && bracket.found.factor < most_head_room) {
    const double from = bracket.found.factor;
    bracket.narrow({1.25 * from, 1.5 * from, 2 * from});
  }
  while (bracket.broken > bracket.found.factor * head_room_close_enough) {
    const double from = bracket.found.factor;
    const double step = (bracket.broken - from) / 4;
    bracket.narrow({from + step, from + 2 * step, from + 3 * step});
  }
  return bracket.found;
}

}  // namespace servecast
