#pragma once
#include <cstdint>

#include "models/hw/llm/attention_span.h"

namespace servecast {

/// Of a prompt, in one step.
struct StepChunk {
  std::int64_t tokens = 0;
  std::int64_t prefix_tokens = 0;  // of the prompt, before it
  double attention_s = 0;          // StepLatency::chunk_s()
};

/// What one step (one forward pass over a batch) works on, as sums over its sequences. Sums, not lists: a step costs
/// the same to evaluate for one sequence and for five hundred, and a replica can keep them up to date in O(1).
struct StepWork {
  std::int64_t decode_sequences = 0;
  std::int64_t decode_kv_tokens = 0;         // tokens they attend to, the new one and drafts included
  std::int64_t decode_chunk_tokens = 0;      // those that chunked layers attend to; 0: not counted, see decode_seen()
  std::int64_t draft_sequences = 0;          // those of them that have drafts checked
  std::int64_t draft_tokens = 0;             // drafts, summed over these
  std::int64_t decode_layers = 0;            // that decodes run at most, where tokens leave early; 0: all
  std::int64_t adapters = 0;                 // different LoRA adapters in use
  std::int64_t prefill_sequences = 0;        // chunks of prompts
  std::int64_t prefill_tokens = 0;           // q, summed over chunks
  std::int64_t prefill_squared_tokens = 0;   // q^2
  std::int64_t prefill_prefix_tokens = 0;    // tokens of the same prompts computed before the chunk
  std::int64_t prefill_prefix64_tokens = 0;  // the same, each rounded up to a multiple of 64 (table models want it)
  std::int64_t prefill_pairs = 0;            // query-key pairs under the causal mask: q prefix + q (q + 1) / 2
  double prefill_attention_s = 0;            // StepLatency::chunk_s(), summed over chunks
  StepChunk longest{};                       // of the chunks
  std::int64_t images = 0;                   // that are encoded before the prompts' chunks that begin them
  std::int64_t image_tokens = 0;             // of all these
  std::int64_t emitted_tokens =
      0;  // rows of the LM head: sequences that leave the step with an output token, and drafts
  std::int64_t group_tokens =
      0;  // of one rank's work: tokens of all ranks that share its experts; 0: it stands alone

  std::int64_t tokens() const { return decode_sequences + draft_tokens + prefill_tokens; }

  /// Tokens that the decodes attend to in such layers.
  double decode_seen(const AttentionSpan& span) const {
    if (span.chunk > 0 && decode_chunk_tokens > 0) return real(decode_chunk_tokens);
    return decode_sequences == 0 ? 0 : span.seen(real(decode_kv_tokens), real(decode_sequences));
  }
  PromptChunks prompt_chunks() const {
    return {.tokens = real(prefill_tokens),
            .prefix_tokens = real(prefill_prefix_tokens),
            .sequences = real(prefill_sequences),
            .pairs = real(prefill_pairs)};
  }

  void add_chunk(std::int64_t tokens, std::int64_t prefix_tokens, double attention_s = 0) {
    if (tokens > longest.tokens)
      longest = {.tokens = tokens, .prefix_tokens = prefix_tokens, .attention_s = attention_s};
    prefill_attention_s += attention_s;
    prefill_sequences += 1;
    prefill_tokens += tokens;
    prefill_squared_tokens += tokens * tokens;
    prefill_prefix_tokens += prefix_tokens;
    prefill_prefix64_tokens += (prefix_tokens + 63) / 64 * 64;
    prefill_pairs += tokens * prefix_tokens + tokens * (tokens + 1) / 2;
  }
};

struct StageTime {
  double seconds = 0;
  double compute_s = 0;       // the part of it that arithmetic bounds; memory traffic or launches bound the rest
  double host_s = 0;          // the part of it in which the GPUs wait for the host
  bool extrapolated = false;  // some operator was outside the range that its constants were fitted on
};

/// What a step's collectives send over links of one kind, as time on links that carry nothing else. It is part of the
/// stage's time.
struct SendTime {
  double seconds = 0;
  double slack_s = 0;  // that they may take longer before the stage does, since arithmetic hides it
  double after_s = 0;  // that the stage takes at least once they are done

  SendTime& operator+=(const SendTime& other) {
    seconds += other.seconds;
    slack_s += other.slack_s;
    after_s += other.after_s;
    return *this;
  }
};

/// The links that collectives go over.
enum class Reach : std::uint8_t {
  inside_node,   // NVLink, or PCIe
  across_nodes,  // network ports
};

struct StepSends {
  SendTime inside_node{};
  SendTime across_nodes{};

  StepSends& operator+=(const StepSends& other) {
    inside_node += other.inside_node;
    across_nodes += other.across_nodes;
    return *this;
  }
  const SendTime& over(Reach reach) const { return reach == Reach::inside_node ? inside_node : across_nodes; }
};

/// How long a step takes on one model replica. A replica has one stage, or with pipeline parallelism several that a
/// batch passes in turn; the tensor-parallel GPUs of a stage work in step and count as one.
/// Implementations are immutable: same work, same answer.
class StepLatency {
 public:
  virtual ~StepLatency() = default;

  virtual std::int64_t stages() const = 0;
  /// What a chunk of a prompt adds that sums of tokens cannot tell: its attention in all layers of the model. Goes
  /// into StepWork::prefill_attention_s. 0 for a model that needs only the sums.
  virtual double chunk_s(std::int64_t /*tokens*/, std::int64_t /*prefix_tokens*/) const { return 0; }
  /// Time the batch occupies this stage, hand-over to the next stage included. Requires work.tokens() > 0.
  virtual StageTime stage(const StepWork& work, std::int64_t stage) const = 0;
  /// The part of stage() in which the links between the stage's GPUs send.
  virtual StepSends sends(const StepWork& /*work*/, std::int64_t /*stage*/) const { return {}; }
};

}  // namespace servecast
