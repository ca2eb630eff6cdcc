#pragma once
#include <cstdint>

#include "models/hw/latency/memo.h"
#include "models/hw/profile/profile_latency.h"

namespace servecast {

/// Whether the profile times what decoding of latent attention does in place of its up-projection
/// (LatentProductsCall). Then the up-projection is the prompts' alone, over their tokens and those before them, as
/// vLLM computes it.
bool absorbs_projection(const ProfileInputs& inputs);

/// Attention of one layer on one GPU, asked of a profile and kept as tables: decoding over sequences and mean
/// context, prompts over query-key pairs (octave_table.h).
class ProfileAttention {
 public:
  /// The inputs must outlive it.
  ProfileAttention(const ProfileInputs& inputs, const AttentionSpan& span);

  /// What its decodes attend to, in the mean.
  double context(const StepWork& work) const {
    return work.decode_seen(span_) / static_cast<double>(work.decode_sequences);
  }
  StageTime decode(std::int64_t sequences, double mean_context) const;
  /// Arithmetic of so many query-key pairs, at the rate of long prompts: what checking drafts takes at least.
  double check_s(double pairs) const;
  /// Whether one call of FlashAttention 2 computes a step's prompts and decodes, or drafts. It works in tiles of
  /// queries, each of which one multiprocessor takes through all keys. Decodes alone are its exception: there the
  /// queries that share keys fill a tile and keys are split (mha_varlen_fwd's seqlenq_ngroups_swapped; vLLM's pull
  /// request 58013).
  bool tiled() const { return tiled_; }
  /// A tile of each decode and head, over all multiprocessors.
  double decode_tiles_s(std::int64_t sequences, double mean_context) const;
  /// One tile through the longer context of decodes and of chunks behind a prefix, each in the mean.
  double longest_s(const StepWork& work) const;
  /// A chunk beside other attention work: without the launch, which it shares.
  double chunk_s(std::int64_t tokens, std::int64_t prefix) const;
  /// Whether a prompt with so many pairs is outside the measured ones.
  bool prompt_extrapolated(double pairs) const;

 private:
  struct Knot {
    double seconds = 0;
    bool extrapolated = false;
  };
  using Row = Memo<Knot>;  // by mean context
  double pairs(std::int64_t tokens, std::int64_t prefix) const;
  double attention_s(std::int64_t tokens, std::int64_t prefix) const;
  double up_projection_s(std::int64_t rows) const;
  const Row& decodes(std::size_t row) const;
  const Knot& decodes(const Row& in, std::size_t row, std::size_t column) const;
  const Knot& prompt(std::size_t knot) const;

  const ProfileInputs& in_;
  AttentionSpan span_;
  bool absorbs_;
  bool tiled_;
  Memo<Row> decodes_;         // by sequences
  Memo<Knot> prompts_;        // by pairs, launch taken off
  Memo<double> projections_;  // by rows
};

/// Launch that chunks share with the decodes of a step, from the served steps that the engine terms were fitted on.
inline constexpr double shared_launch_s = 8e-6;

}  // namespace servecast
