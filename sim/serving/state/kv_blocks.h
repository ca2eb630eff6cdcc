#pragma once
#include <algorithm>

#include "models/base/totals.h"
#include "models/policy/kv_cache.h"
#include "sim/serving/resources/kv_tiers.h"

namespace servecast {

/// The KV blocks of a replica: its cache, and what it holds over time.
class KvBlocks {
 public:
  /// The arguments outlive it. `tiers`: below the GPU's memory; null: what leaves it is lost.
  KvBlocks(KvCache& cache, KvTiers* tiers, ReplicaTotals& totals)
      : cache_(cache), tiers_(tiers), totals_(totals), total_(cache.total_blocks()), clocked_(cache.reads_clock()) {
    if (tiers) cache.set_listener(*tiers);
  }

  KvCache& cache() const { return cache_; }
  std::int64_t total() const { return total_; }
  std::int64_t used() const { return total_ - cache_.free_blocks(); }
  /// As they were accounted for last.
  std::int64_t held() const { return held_; }
  /// Those held until now were held so long; from now on it is those that are.
  void account(double now_s) {
    totals_.kv_block_s += static_cast<double>(held_) * (now_s - held_since_s_);
    held_since_s_ = now_s;
    held_ = used();
    totals_.kv_blocks_max = std::max(totals_.kv_blocks_max, held_);
  }
  /// Before the cache is asked at this instant.
  void set_clock(double now_s) {
    if (clocked_) cache_.set_clock(now_s);
    if (tiers_) tiers_->set_clock(now_s);
  }

 private:
  KvCache& cache_;
  KvTiers* tiers_;
  ReplicaTotals& totals_;
  std::int64_t total_;
  bool clocked_;
  double held_since_s_ = 0;
  std::int64_t held_ = 0;
};

}  // namespace servecast
