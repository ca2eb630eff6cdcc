#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace servecast {

class Batcher;
class Placement;
struct PoolSpec;
struct YamlText;

/// One pool of a scenario, and its policies that features are read from.
struct PoolContext {
  const PoolSpec& pool;
  const Placement& placement;
  const Batcher& batcher;
};

/// What a pool can have and not every other pool can.
struct Feature {
  const char* name;  // in the terms of the field
  const char* key;   // of the setting that asks for it, below the pool
  bool (*used)(const PoolContext&);
};

struct Combination {
  const Feature* refused;  // its key is where the message points
  const Feature* with;
  const char* reason;
  const char* remedy;
};

/// Every pair that is refused; all others can be used together.
std::span<const Combination> refused_combinations();

/// Leaves what is refused of one pool in the text's problems, which name the place, the reason and the remedy.
/// `path`: of the pool. True: nothing is.
bool check_combinations(YamlText& text, const std::string& path, const PoolSpec& pool);

/// The page docs/combinations.md.
std::string combinations_markdown();

}  // namespace servecast
