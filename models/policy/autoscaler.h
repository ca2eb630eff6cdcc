#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "models/base/registry.h"
#include "models/policy/router.h"

namespace servecast {

/// What one replica of a pool bears, by the model of its steps.
class ReplicaCapacity {
 public:
  virtual ~ReplicaCapacity() = default;
  /// Requests/s of this mean size within the scenario's promise; above 0.
  virtual double requests_per_s(double prompt_tokens, double output_tokens) const = 0;
};

/// A pool as its autoscaler sees it. Sums run over the time since it last looked.
struct PoolLoad {
  double now_s = 0;
  double since_s = 0;                      // when it last looked
  std::span<const ReplicaView> serving{};  // as they are now
  std::int64_t coming = 0;                 // replicas that start and will serve
  std::int64_t pending_requests = 0;       // requests before a pool of which no replica serves
  std::int64_t block_tokens = 1;
  std::int64_t arrived = 0;
  std::int64_t prompt_tokens = 0;  // of these
  std::int64_t finished = 0;
  std::int64_t output_tokens = 0;  // of these
  std::int64_t missed_slo = 0;     // likewise
  double slo_target_fraction = 1;
  const ReplicaCapacity* capacity = nullptr;

  std::int64_t replicas() const { return static_cast<std::int64_t>(serving.size()) + coming; }
  double arrived_per_s() const { return now_s > since_s ? static_cast<double>(arrived) / (now_s - since_s) : 0; }
};

/// How many replicas of a pool shall serve. One instance per pool; it may remember what it saw.
class Autoscaler {
 public:
  static constexpr std::string_view kind = "autoscaler";
  static constexpr PolicyListing listing{"autoscalers", "how many replicas serve"};
  virtual ~Autoscaler() = default;

  /// When it looks next, after `now_s`; infinite: never, and all replicas serve all the time.
  virtual double next_evaluation_s(double now_s) const = 0;
  /// Asked at these instants, and at 0. The caller keeps the answer between the pool's least and most.
  virtual std::int64_t wanted(const PoolLoad& load) = 0;

  /// It needs a promise (SLO) to size for.
  virtual bool needs_slo() const { return false; }
  /// What is wrong with the settings taken together; asked once, when the scenario is loaded.
  virtual std::optional<std::string> problem() const { return std::nullopt; }
};

/// The first whole multiple of `every_s` after `now_s`.
inline double multiple_after(double now_s, double every_s) {
  double n = std::floor(now_s / every_s) + 1;
  while (n * every_s <= now_s) n += 1;
  return n * every_s;
}

}  // namespace servecast
