// Migration "llumnix": replicas that are least free send sequences to those that are most free.
//
// Every `check_every_s`, replicas below `send_below_freeness` are paired with those above it: the least free with the
// most free, and so on. Each sends the shortest sequence that decodes there, which is the quickest to copy. So a long
// prompt that waits for memory on one replica gets it while there is some on others (defragmentation), and whose
// outputs turn out long are spread before memory runs short (fewer preemptions). Costs the links' time and, per
// sequence moved, a pause of about a decode step; of no use where all replicas are equally full.
//
// Llumnix, OSDI 2024, sections 4.2 (live migration) and 4.4; defaults of its code (metric "remaining_steps", policies
// "defrag_constrained" and "SR", at most 16 blocks in the last stage, polled every 0.05 s).
#include <algorithm>
#include <numeric>

#include "models/policy/migration.h"
#include "models/policy/shared/freeness.h"

namespace servecast {
namespace {

class Llumnix final : public Migration {
 public:
  struct Settings {
    double check_every_s = 0.05;
    double send_below_freeness = 3;
    std::int64_t last_stage_blocks = 16;
    void fields(Fields& f) {
      f.field("check_every_s", check_every_s, "between two evaluations of the replicas", positive);
      f.field(
          "send_below_freeness", send_below_freeness,
          "free KV blocks per request, waiting prompts counted as held: replicas with fewer send, with more receive");
      f.field("last_stage_blocks", last_stage_blocks, "a sequence stops when no more KV blocks are left to copy",
              at_least_one);
    }
  };
  explicit Llumnix(const Settings& settings) : settings_(settings) {}

  double check_every_s() const override { return settings_.check_every_s; }
  std::int64_t last_stage_blocks() const override { return settings_.last_stage_blocks; }

  std::vector<MigrationPair> pairs(std::span<const ReplicaView> replicas, std::int64_t block_tokens) const override {
    std::vector<double> free;
    for (const ReplicaView& r : replicas) free.push_back(freeness(r, block_tokens));
    std::vector<std::size_t> order(replicas.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return free[i]; });
    std::vector<MigrationPair> pairs;
    for (std::size_t i = 0; i < order.size() / 2; ++i) {
      const MigrationPair pair{.from = order[i], .to = order[order.size() - 1 - i]};
      if (!(free[pair.from] < settings_.send_below_freeness && free[pair.to] > settings_.send_below_freeness)) break;
      pairs.push_back(pair);
    }
    return pairs;
  }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<Migration>::add<Llumnix>("llumnix", "from the least free replicas to the most free, while they decode");

}  // namespace
}  // namespace servecast
