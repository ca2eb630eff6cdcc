#include "calibrate/step/block_tables.h"

#include <cassert>

namespace servecast {

BlockTables::BlockTables(std::int64_t blocks, std::int64_t block_tokens) : block_tokens_(block_tokens) {
  for (std::int64_t i = blocks; i > 0; --i) free_.push_back(static_cast<std::int32_t>(i - 1));
}

void BlockTables::hold(std::int64_t sequence, std::int64_t tokens) {
  std::vector<std::int32_t>& held = held_[sequence];
  while (static_cast<std::int64_t>(held.size()) * block_tokens_ < tokens) {
    assert(!free_.empty());
    held.push_back(free_.back());
    free_.pop_back();
  }
}

void BlockTables::release(std::int64_t sequence) {
  const auto held = held_.extract(sequence);
  if (!held.empty()) free_.insert(free_.end(), held.mapped().begin(), held.mapped().end());
}

}  // namespace servecast
