#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "models/base/registry.h"
#include "models/hw/additions/exit_terms.h"
#include "models/hw/llm/llm.h"
#include "models/policy/speculative.h"
#include "models/policy/support/exit_layers.h"

namespace servecast {

/// What leaving early costs in answers, as published.
struct AccuracyCost {
  double lost_points = 0;  // of a benchmark's score in percent, mean over the benchmarks
  std::string source{};
};

/// Tokens that leave a model before its last layer.
class EarlyExit {
 public:
  static constexpr std::string_view kind = "early_exit";
  static constexpr PolicyListing listing{"early_exits", "tokens that leave before the last layer"};
  virtual ~EarlyExit() = default;

  /// After how many layers a decoded token leaves; prompts run all layers. Nothing: after all, or it drafts. Throws
  /// nothing; what is wrong says problem().
  virtual std::optional<ExitLayers> exits(const Llm&) const { return std::nullopt; }
  /// What deciding that costs, in every decode step.
  virtual ExitTerms terms(const Llm&) const { return {}; }
  /// Tokens of one path of drafts that leave on their own, for each draft; the others leave with the token before.
  virtual double tokens_per_draft() const { return 1; }
  /// Where the first layers draft for the model.
  virtual std::unique_ptr<Speculation> self_drafting() const { return nullptr; }
  virtual std::optional<AccuracyCost> accuracy(const Llm&) const { return std::nullopt; }

  /// Why it does not suit this model, or what is wrong with its settings.
  virtual std::optional<std::string> problem(const Llm&) const { return std::nullopt; }
};

}  // namespace servecast
