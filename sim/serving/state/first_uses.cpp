#include "sim/serving/state/first_uses.h"

#include <vector>

namespace servecast {

double FirstUses::wait_s(const FilledBatch& batch, bool others_wait) {
  if (left_.empty() || batch.chunks.empty()) return 0;
  double wait_s = 0;
  std::erase_if(left_, [&](const FirstUseWait& wait) {
    if (wait.step == FirstUser::backlog && !others_wait) return false;
    wait_s += wait.seconds;
    return true;
  });
  if (wait_s == 0) return 0;
  totals_.first_use_s += wait_s;
  over_s_ = batch.start_s + wait_s;
  return wait_s;
}

}  // namespace servecast
