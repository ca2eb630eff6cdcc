#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/policy/request.h"

namespace servecast {

/// Hash blocks first, first + 1, ... last. Traces number blocks as they first appear, so most come in long runs.
struct BlockRange {
  BlockHash first = 0;
  BlockHash last = 0;
};

/// One request as a trace file states it.
struct TraceRow {
  std::optional<double> arrival_s{};  // none: `think_s` after the previous row of its session has finished
  std::string_view arrival_text{};    // where the line says so, for messages; may be empty
  double think_s = 0;
  std::uint32_t start_group = 0;  // above 0: arrival_s counts from a start that the trace does not tell
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  SessionId session{};
  std::string_view request_class{};  // a piece of the line
  ClientId client{};
  std::int32_t priority = 0;
  std::int32_t block_tokens = 0;
  std::vector<BlockRange> blocks{};

  /// Makes it an empty row, but keeps the memory.
  void clear() {
    std::vector<BlockRange> kept = std::move(blocks);
    kept.clear();
    *this = TraceRow{};
    blocks = std::move(kept);
  }
  void add_block(BlockHash id) {
    if (!blocks.empty() && blocks.back().last + 1 == id)
      ++blocks.back().last;
    else
      blocks.push_back({id, id});
  }
};

}  // namespace servecast
