#include "sim/input/trace/rows/block_ids.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/counts.h"
#include "sim/input/files/numbers.h"

namespace servecast {
namespace {

constexpr std::int64_t max_block_id = std::int64_t{1} << 61;

void read_range(const Line& line, std::string_view text, TraceRow& row) {
  const std::size_t dash = text.find('-', 1);  // one in front is a sign
  const BlockHash first = read_block_id(line, text.substr(0, dash));
  BlockHash last = first;
  if (dash != std::string_view::npos) last = read_block_id(line, text.substr(dash + 1));
  if (last < first) line.fail(text, fmt::format("the run of blocks '{}' ends before it begins", text));
  if (last - first >= static_cast<BlockHash>(max_request_tokens))
    line.fail(text, fmt::format("the run of blocks '{}' is longer than any prompt", text));
  row.blocks.push_back({first, last});
}

}  // namespace

BlockHash read_block_id(const Line& line, std::string_view text) {
  return static_cast<BlockHash>(read_count(line, text, "a block id", {.min = 0, .max = max_block_id}));
}

void read_block_ranges(const Line& line, std::string_view text, TraceRow& row) {
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    if (blank > 0) read_range(line, text.substr(0, blank), row);
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
}

std::int64_t count_blocks(const TraceRow& row) {
  std::int64_t count = 0;
  for (const BlockRange& run : row.blocks) count += static_cast<std::int64_t>(run.last - run.first) + 1;
  return count;
}

void shift_blocks(TraceRow& row, BlockHash offset) {
  for (BlockRange& run : row.blocks) run = {run.first + offset, run.last + offset};
}

void check_block_count(const Line& line, const TraceRow& row) {
  if (row.blocks.empty()) return;
  const std::int64_t most = divided_up(row.prompt_tokens, row.block_tokens);
  const std::int64_t count = count_blocks(row);
  if (count > most)
    line.fail(line.text, fmt::format("{} hash blocks of {} tokens are more than a prompt of {} tokens has ({})",
                                     count, row.block_tokens, row.prompt_tokens, most));
}

}  // namespace servecast
