#pragma once
#include <algorithm>
#include <cstdint>
#include <map>

#include "models/base/counts.h"
#include "models/hw/llm/llm.h"

namespace servecast {

/// Chunks of prompts that are computed in one step, summed up.
struct PromptChunks {
  double tokens = 0;
  double prefix_tokens = 0;  // of the same prompts, in front of them
  double sequences = 1;
  double pairs = 0;  // of a query and a key, if each token attended to all before it
};

/// Which of the tokens before it, and itself, a token attends to: step times, arithmetic and what is kept of a
/// sequence go by it. Of several sequences together the mean one stands for all.
struct AttentionSpan {
  std::int64_t last = 0;   // so many of the last ones; 0: no bound
  std::int64_t chunk = 0;  // those since the last multiple of this; 0: there are no chunks

  /// Tokens that the last of a sequence's `tokens` attends to.
  double seen(double tokens) const {
    if (chunk > 0 && tokens > real(chunk)) return tokens - real(chunk * ((whole(tokens) - 1) / chunk));
    return last > 0 ? std::min(tokens, real(last)) : tokens;
  }

  /// The same of several sequences together, with so many tokens together.
  double seen(double tokens, double sequences) const {
    if (last > 0) return std::min(tokens, sequences * real(last));
    return chunk > 0 ? sequences * seen(tokens / sequences) : tokens;
  }

  /// Keys that some query of the chunks attends to.
  double reached(const PromptChunks& c) const {
    if (chunk > 0) return c.tokens + c.sequences * (seen(c.prefix_tokens / c.sequences + 1) - 1);
    return c.tokens + (last > 0 ? std::min(c.prefix_tokens, c.sequences * real(last)) : c.prefix_tokens);
  }

  /// Pairs of a query and a key that it attends to, half of each token's own left out where chunks count: each of
  /// them begins a triangle anew.
  double pairs(const PromptChunks& c) const {
    if (last > 0) return std::min(c.pairs, c.tokens * real(last));
    if (chunk == 0) return c.pairs;
    const double before = c.prefix_tokens / c.sequences;
    return c.sequences * (triangles(before + c.tokens / c.sequences) - triangles(before));
  }

 private:
  static std::int64_t whole(double tokens) { return static_cast<std::int64_t>(tokens + 0.5); }
  double triangles(double tokens) const {
    const double full = real(static_cast<std::int64_t>(tokens) / chunk);
    const double rest = tokens - full * real(chunk);
    return 0.5 * (full * real(chunk) * real(chunk) + rest * rest);
  }
};

/// Of a layer that keeps keys and values.
inline AttentionSpan attention_span(const Llm& llm, Attention kind) {
  switch (kind) {
    case Attention::sliding:
      return {.last = llm.sliding_window};
    case Attention::chunked:
      return {.chunk = llm.attention_chunk};
    case Attention::sparse:
      return {.last = llm.sparse.value().chosen};
    case Attention::full:
    case Attention::linear:
      return {};
  }
  return {};
}

/// Of each kind of layer with keys and values that the model has.
inline std::map<Attention, AttentionSpan> attention_spans(const Llm& llm) {
  std::map<Attention, AttentionSpan> spans;
  for (std::int64_t layer = 0; layer < llm.layers; ++layer)
    if (const Attention kind = llm.attention(layer); kind != Attention::linear)
      spans[kind] = attention_span(llm, kind);
  return spans;
}

}  // namespace servecast
