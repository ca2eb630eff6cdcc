#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "models/base/registry.h"
#include "models/policy/support/acceptance.h"

namespace servecast {

/// What makes the drafts, and so what they cost. At most one of `llm`, `target_layers` and
/// `first_layers` is set; with neither,
/// nothing runs on the GPUs.
struct Drafter {
  std::string llm{};               // a model of its own
  std::int64_t target_layers = 0;  // as many layers like the target's last one, and an LM head
  std::int64_t first_layers = 0;   // the target's own; the check of the drafts goes on behind them
  std::int64_t vocabulary = 0;     // of the LM head; 0: the target's
  double host_sequence_s = 0;      // of the host, for every sequence and step

  bool on_gpu() const { return !llm.empty() || target_layers > 0 || first_layers > 0; }
};

/// The load under which a draft length is chosen.
class DraftLoad {
 public:
  virtual ~DraftLoad() = default;
  /// Decoding sequences that can speculate.
  virtual std::int64_t sequences() const = 0;
  /// Time of their next step with so many drafts for each, these drafts made included.
  virtual double step_s(std::int64_t drafts) const = 0;
  /// Tokens that one of them then makes, in the mean.
  virtual double tokens(std::int64_t drafts) const = 0;
};

/// Speculative decoding: cheap drafts of the next tokens, which the model checks in one step of several tokens for
/// each sequence. Those up to the first wrong one are taken over and the model's own token follows, so a sequence
/// makes 1 to drafts + 1 tokens a step.
class Speculation {
 public:
  static constexpr std::string_view kind = "speculative";
  static constexpr PolicyListing listing{"speculations", "drafts of the next tokens, checked several at a time"};
  virtual ~Speculation() = default;

  /// The most drafts for one sequence and step; 0: decoding goes on token by token.
  virtual std::int64_t max_drafts() const = 0;
  /// Asked before every step with decodes: at most max_drafts().
  virtual std::int64_t drafts(const DraftLoad& load) const = 0;
  /// Of each draft, so many are made and checked beside each other: above 1 they are a tree, of which one path is
  /// taken over as far as it is right.
  virtual std::int64_t candidates() const { return 1; }
  virtual Drafter drafter() const = 0;
  virtual AcceptanceSettings acceptance() const = 0;
  /// KV slots that a sequence wants free in a step, beside those of its own token and the drafts checked in it.
  virtual std::int64_t lookahead_tokens(std::int64_t drafts) const = 0;

  /// What is wrong with its settings, if anything.
  virtual std::optional<std::string> problem() const { return std::nullopt; }

  /// Tokens that are checked for so many drafts, in a step at most.
  std::int64_t rows(std::int64_t drafts) const { return drafts * candidates(); }
  std::int64_t max_rows() const { return rows(max_drafts()); }
};

}  // namespace servecast
