#include "sim/plan/search/shard.h"

#include <charconv>

#include "models/base/error.h"
#include "models/base/names.h"
#include "sim/plan/runs/sha256.h"

namespace servecast {

bool Shard::takes(const std::string& name) const {
  const std::string digits = Sha256().add(name).hex().substr(0, 15);  // 60 bits
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number % count == index - 1;
}

bool Shard::takes(const std::vector<std::string>& set) const { return takes(join(set, "\n")); }

Shard parse_shard(const std::string& word) {
  Shard shard;
  const char* const end = word.data() + word.size();
  const auto first = std::from_chars(word.data(), end, shard.index);
  bool good = first.ec == std::errc{} && first.ptr != end && *first.ptr == '/';
  if (good) {
    const auto second = std::from_chars(first.ptr + 1, end, shard.count);
    good = second.ec == std::errc{} && second.ptr == end && shard.index >= 1 && shard.index <= shard.count;
  }
  if (!good) throw UserError("'" + word + "' is no share; write k/n with k from 1 to n, e.g. 3/8");
  return shard;
}

}  // namespace servecast
