#pragma once
#include <cstdint>
#include <string>

#include "models/policy/speculative.h"

namespace servecast {

/// Settings of every way of drafting.
struct DraftSettings {
  std::int64_t num_speculative_tokens = 1;
  std::string length = "fixed";
  AcceptanceSettings acceptance{};

  void fields(Fields& f) {
    f.field("num_speculative_tokens", num_speculative_tokens, "most drafts for one sequence and step",
            {.min = 1, .max = 64});
    f.field(
        "length", length,
        "fixed: always that many; goodput: before every step as many as make the most tokens a second, 0 included "
        "(SmartSpec)",
        {"fixed", "goodput"});
    f.group("acceptance", acceptance, "how many drafts are taken over");
  }
};

/// What all ways of drafting have in common: everything but the drafter.
class Drafting : public Speculation {
 public:
  explicit Drafting(DraftSettings settings) : settings_(std::move(settings)) {}

  std::int64_t max_drafts() const final { return settings_.num_speculative_tokens; }
  std::int64_t drafts(const DraftLoad& load) const final;
  AcceptanceSettings acceptance() const final { return settings_.acceptance; }
  /// vLLM's scheduler allocates slots for the token and its drafts, and where a head of the model drafts, for as many
  /// tokens more, since that writes KV behind them (v1/core/sched/scheduler.py, num_lookahead_tokens).
  std::int64_t lookahead_tokens(std::int64_t drafts) const override { return drafter().on_gpu() ? rows(drafts) : 0; }
  std::optional<std::string> problem() const override { return settings_.acceptance.problem(); }

 private:
  DraftSettings settings_;
};

}  // namespace servecast
