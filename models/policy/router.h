#pragma once
#include <optional>
#include <span>
#include <string>

#include "models/base/registry.h"
#include "models/base/rng.h"
#include "models/policy/pool_probe.h"
#include "models/policy/request.h"
#include "models/policy/support/least_by.h"

namespace servecast {

/// What a router may know about a replica. A copy: a router cannot change the cluster.
struct ReplicaView {
  ReplicaId id{};
  std::int64_t waiting_requests = 0;
  std::int64_t waiting_tokens = 0;    // prompt tokens not yet computed, of waiting and admitted requests
  std::int64_t running_requests = 0;  // admitted: prefilling or decoding
  std::int64_t used_blocks = 0;       // KV blocks held
  std::int64_t total_blocks = 0;
};

/// The replicas of a pool that serve, sorted by id, and where they changed since the router last looked: with that, a
/// router that wants the least of something need not go through a thousand of them for every request.
class ReplicaViews {
 public:
  ReplicaViews(std::span<const ReplicaView> all, std::span<const std::uint32_t> changed, const PoolProbe& probe,
               const ReplicaViews* decoding = nullptr, std::uint64_t membership_version = 0)
      : all_(all), changed_(changed), probe_(probe), decoding_(decoding), membership_version_(membership_version) {}

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  std::size_t size() const { return all_.size(); }
  const ReplicaView& operator[](std::size_t i) const { return all_[i]; }
  /// Positions, perhaps more than once. Before the first look everything has changed, and it need not be listed.
  std::span<const std::uint32_t> changed() const { return changed_; }
  /// For what the views do not say; every answer costs time.
  const PoolProbe& probe() const { return probe_; }
  /// How often a replica has come or gone so far: while this stays, each position is the same replica's. Then
  /// everything has changed, and it need not be listed.
  std::uint64_t membership_version() const { return membership_version_; }
  /// Those that decode what these have prefilled: these themselves, unless another pool does.
  const ReplicaViews& decoding() const { return decoding_ ? *decoding_ : *this; }

 private:
  std::span<const ReplicaView> all_;
  std::span<const std::uint32_t> changed_;
  const PoolProbe& probe_;
  const ReplicaViews* decoding_;
  std::uint64_t membership_version_;
};

/// The position for which `key(position)` is least; ties go to the lowest. Compares all positions.
template <class KeyOf>
std::size_t least_position(const ReplicaViews& replicas, KeyOf key) {
  std::size_t best = 0;
  auto best_key = key(best);
  for (std::size_t i = 1; i < replicas.size(); ++i) {
    const auto other = key(i);
    if (!(other < best_key)) continue;
    best = i;
    best_key = other;
  }
  return best;
}

/// A router's answer.
struct Route {
  Route(ReplicaId to) : replica(to) {}  // implicit: to most routers a route is a replica
  Route(ReplicaId to, ReplicaId from, std::int64_t tokens) : replica(to), copy_from(from), copy_tokens(tokens) {}

  ReplicaId replica;
  ReplicaId copy_from{};         // the replica's cache first gets so many leading prompt tokens from that one's;
  std::int64_t copy_tokens = 0;  // the request reaches its queue when they are there
  bool operator==(const Route&) const = default;
};

/// Finds the replica for which `key` is least; ties go to the lowest id. One per router: it remembers the keys.
template <class Key>
class LeastReplica {
 public:
  template <class KeyOf>
  ReplicaId of(const ReplicaViews& replicas, KeyOf key) {
    if (least_.size() != replicas.size() || membership_version_ != replicas.membership_version()) {
      membership_version_ = replicas.membership_version();
      std::vector<Key> keys;
      for (const ReplicaView& r : replicas) keys.push_back(key(r));
      least_.assign(std::move(keys));
    } else {
      for (std::uint32_t i : replicas.changed()) least_.set(i, key(replicas[i]));
    }
    return replicas[least_.least()].id;
  }

 private:
  LeastBy<Key> least_;
  std::uint64_t membership_version_ = 0;
};

/// Chooses the replica that serves a request.
class Router {
 public:
  static constexpr std::string_view kind = "router";
  static constexpr PolicyListing listing{"routers", "which replica serves a request"};
  virtual ~Router() = default;

  /// `replicas` is never empty and shows the pool exactly as it is at the request's arrival: steps that end at that
  /// instant have ended, none that starts then has started. With the pool's `signal_delay_s` it shows the pool as it
  /// was at the last signal. Called once per admitted request, in arrival order. Nothing: no replica can serve the
  /// request well, and its client is asked to come back later (HTTP 429).
  virtual std::optional<Route> pick(const Request& request, const ReplicaViews& replicas, Rng& rng) = 0;

  /// What it looks at of a request beyond its size.
  virtual RequestNeeds needs() const { return {}; }

  /// False for a router that never looks at the views' numbers and asks nothing: then the engine need not bring them
  /// up to date.
  virtual bool reads_state() const { return true; }

  /// False for a router that looks at requests and prompt tokens, but never at KV blocks, and asks for nothing that a
  /// replica holds: then a replica need not be brought up to date while the same sequences decode.
  virtual bool reads_kv() const { return true; }

  /// False for a router that may turn requests away or have prefixes copied first.
  virtual bool only_picks() const { return true; }

  /// True for a router that runs apart from the engines, as llm-d's does: requests reach replicas through a proxy
  /// that asks it, and these hops are part of how far forecasts are off (ServedPool).
  virtual bool has_hops() const { return false; }

  /// What is wrong with the settings taken together; asked once, when the scenario is loaded.
  virtual std::optional<std::string> problem() const { return std::nullopt; }
};

}  // namespace servecast
