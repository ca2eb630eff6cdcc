#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "models/policy/request.h"

namespace servecast {

/// All beginnings of prompts seen so far. A beginning is known by a hash over its blocks in order, so the same block
/// counts only behind the same blocks. (Two of 10^8 beginnings share a 64-bit hash with a chance below 0.1 %.)
class PrefixSet {
 public:
  /// How many leading blocks were seen before; adds the others.
  std::size_t add(std::span<const BlockHash> blocks);

 private:
  bool insert(std::uint64_t key);  // true where it is new
  void grow();

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1 << 12);  // open addressing; 0 is free
  std::size_t used_ = 0;
};

}  // namespace servecast
