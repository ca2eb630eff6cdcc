#include "sim/reproduce/probes/worst_gaps.h"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace servecast {

void WorstGaps::step(const StepRecord& step, std::span<const StepMember> who) {
  for (const StepMember& m : who.first(static_cast<std::size_t>(step.decode_sequences))) {
    if (made_s_.size() <= index(m.id)) made_s_.resize(index(m.id) + 1);
    made_s_[index(m.id)].push_back(step.end_s);
  }
}

double WorstGaps::of(const RequestRecord& r) const {
  if (index(r.id) >= made_s_.size() || made_s_[index(r.id)].empty()) return 0;
  std::vector<double> gaps_s;
  double before_s = *r.first_token_s;
  for (const double at_s : made_s_[index(r.id)]) {
    gaps_s.push_back(at_s - before_s);
    before_s = at_s;
  }
  std::ranges::sort(gaps_s, std::greater<>());
  gaps_s.resize((gaps_s.size() + 9) / 10);
  double sum = 0;
  for (const double gap_s : gaps_s) sum += gap_s;
  return sum / static_cast<double>(gaps_s.size());
}

}  // namespace servecast
