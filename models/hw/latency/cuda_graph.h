#pragma once
#include <algorithm>
#include <cstdint>

namespace servecast {

/// Rows that a step of so many tokens runs with. CUDA graphs exist for 1, 2, 4, then every 8 up to 256, then every 16
/// tokens, up to `graph_tokens`; a step runs the next larger one, and above the last it runs as it is.
inline std::int64_t graph_rows(std::int64_t tokens, std::int64_t graph_tokens) {
  if (tokens > graph_tokens || tokens <= 2) return tokens;
  const std::int64_t step = tokens <= 4 ? 4 : tokens <= 256 ? 8 : 16;
  return std::min((tokens + step - 1) / step * step, graph_tokens);
}

}  // namespace servecast
