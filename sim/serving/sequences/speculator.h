#pragma once
#include <cstdint>
#include <memory>

#include "models/base/totals.h"
#include "models/hw/latency/step_latency.h"
#include "models/policy/speculative.h"
#include "models/policy/support/acceptance.h"

namespace servecast {

/// How the sequences of a replica speculate: how many drafts a step checks, and what comes of them.
class Speculator {
 public:
  Speculator(std::unique_ptr<Speculation> policy, Acceptance acceptance)
      : policy_(std::move(policy)), acceptance_(std::move(acceptance)) {}

  std::int64_t max_drafts() const { return policy_->max_drafts(); }
  /// KV slots that a sequence wants in a step beside its own token's.
  std::int64_t slots(std::int64_t drafts) const { return rows(drafts) + policy_->lookahead_tokens(drafts); }
  /// Tokens that a step checks for so many drafts of a sequence.
  std::int64_t rows(std::int64_t drafts) const { return policy_->rows(drafts); }
  /// For the next step of so many sequences, which hold so many tokens.
  std::int64_t choose(std::int64_t sequences, std::int64_t held_tokens, const StepLatency& latency) const;
  /// Output tokens that a sequence makes which still wants `left`, at least 1.
  std::int64_t made(const Drafts& drafts, std::int64_t left);

  const DraftTotals& totals() const { return totals_; }

 private:
  std::unique_ptr<Speculation> policy_;
  Acceptance acceptance_;
  DraftTotals totals_;
};

/// A step of nothing but decodes, each with so many drafted tokens to check.
StepWork checking_step(std::int64_t sequences, std::int64_t held_tokens, std::int64_t rows);

}  // namespace servecast
