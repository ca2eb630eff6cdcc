#include "sim/serving/sequences/speculator.h"

#include <algorithm>

namespace servecast {
namespace {

class Load final : public DraftLoad {
 public:
  Load(std::int64_t sequences, std::int64_t held_tokens, const StepLatency& latency, const Speculation& policy,
       const Acceptance& acceptance)
      : sequences_(sequences),
        held_tokens_(held_tokens),
        latency_(latency),
        policy_(policy),
        acceptance_(acceptance) {}

  std::int64_t sequences() const override { return sequences_; }
  double step_s(std::int64_t drafts) const override {
    const StepWork work = checking_step(sequences_, held_tokens_, policy_.rows(drafts));
    double seconds = 0;
    for (std::int64_t i = 0; i < latency_.stages(); ++i) seconds += latency_.stage(work, i).seconds;
    return seconds;
  }
  double tokens(std::int64_t drafts) const override { return 1 + acceptance_.mean_accepted(drafts); }

 private:
  std::int64_t sequences_;
  std::int64_t held_tokens_;
  const StepLatency& latency_;
  const Speculation& policy_;
  const Acceptance& acceptance_;
};

}  // namespace

StepWork checking_step(std::int64_t sequences, std::int64_t held_tokens, std::int64_t rows) {
  return {.decode_sequences = sequences,
          .decode_kv_tokens = held_tokens + sequences * (1 + rows),
          .draft_sequences = rows > 0 ? sequences : 0,
          .draft_tokens = sequences * rows,
          .emitted_tokens = sequences * (1 + rows)};
}

std::int64_t Speculator::choose(std::int64_t sequences, std::int64_t held_tokens, const StepLatency& latency) const {
  return policy_->drafts(Load(sequences, held_tokens, latency, *policy_, acceptance_));
}

std::int64_t Speculator::made(const Drafts& drafts, std::int64_t left) {
  if (drafts.count == 0) return 1;
  const std::int64_t accepted = acceptance_.accepted(drafts);
  totals_.checks += 1;
  totals_.drafted += rows(drafts.count);
  totals_.accepted += accepted;
  return std::min(left, accepted + 1);  // what comes behind the last token is thrown away
}

}  // namespace servecast
