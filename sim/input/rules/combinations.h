#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace servecast {

class Batcher;
class Placement;
struct Node;
struct PoolSpec;
struct ScenarioSpec;
struct YamlText;

/// One pool of a scenario, its policies that features are read from, and the kind of node that it stands on.
struct PoolContext {
  const ScenarioSpec& scenario;
  const PoolSpec& pool;
  const Node& node;
  const Placement& placement;
  const Batcher& batcher;
};

/// What a pool can have and not every other pool can.
struct Feature {
  const char* name;  // in the terms of the field
  const char* key;   // of the setting that asks for it, below the pool, or below the scenario where `of_scenario`
  bool (*used)(const PoolContext&);
  bool of_scenario = false;
};

/// Why two features cannot be used by one pool.
enum class Obstacle : std::uint8_t {
  not_built,  // nothing stands against it but that nobody has built it yet
  no_data,    // nobody has published what the forecast would have to rest on
  excluded,   // the two contradict each other
};

std::string_view name(Obstacle obstacle);

struct Combination {
  const Feature* refused;  // its key is where the message points
  const Feature* with;
  Obstacle obstacle;
  const char* reason;
  const char* remedy;
};

/// Every pair that is refused; all others can be used together.
std::span<const Combination> refused_combinations();

/// Leaves what is refused of one pool in the text's problems, which name the place, the reason and the remedy.
/// `path`: of the pool. True: nothing is.
bool check_combinations(YamlText& text, const std::string& path, const ScenarioSpec& scenario, const PoolSpec& pool,
                        const Node& node);

/// The page docs/combinations.md.
std::string combinations_markdown();

}  // namespace servecast
