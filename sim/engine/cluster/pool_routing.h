#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "models/base/rng.h"
#include "models/policy/admission.h"
#include "models/policy/router.h"
#include "sim/engine/cluster/pool_answers.h"

namespace servecast {

struct Scenario;

/// Where a request goes within its pool.
struct Destination {
  std::size_t replica = 0;                 // its place in the pool
  std::int64_t copy_tokens = 0;            // leading prompt tokens that its cache gets from another replica's first
  std::size_t copy_from = 0;               // that one's place
  double copy_s = 0;                       // how long that takes while nothing else uses the links
  std::optional<std::size_t> copy_pool{};  // the pool of that replica; none: this one
};

/// The admission and the router of one pool, and the views of replicas that these see: those that serve, as they are
/// now or were when load was last collected. The caller has brought replicas up to the instant.
class PoolRouting {
 public:
  /// All replicas of the pool are there, and shown. They stay where they are.
  PoolRouting(const Scenario& scenario, PoolId id, ReplicaId first, const std::vector<Replica>& replicas);

  /// False: admission turns it away. Where it reads state it looks at the pool that will decode, too, if that is
  /// another one.
  bool admits(const Request& request, const PoolRouting* decoding);
  /// The same before a computed prompt is handed over to that pool.
  bool admits_decode(const Request& request, const PoolRouting& decoding);
  /// The router's choice. None: it turns the request away.
  std::optional<Destination> pick(const Request& request);

  /// Whether admission or router read views, be it another pool's.
  bool reads_state() const { return needs_fresh_views_; }
  bool admission_reads_state() const { return admission_->reads_state(); }
  /// More than what stays while the same sequences decode.
  bool reads_kv() const { return reads_kv_; }
  /// Another pool's admission will read this one's.
  void require_fresh_views() { needs_fresh_views_ = reads_kv_ = true; }

  /// The last instant up to `at_s` at which load is collected, if that is still to come. Earlier ones may be left
  /// out where no view is read before `at_s`. Infinite: none.
  double next_signal_s(double at_s) const;
  bool signals() const { return signal_delay_s_ > 0; }
  /// Shows admission and router the load as it is now.
  void signal(double now_s);

  /// A replica has changed: its view follows.
  void refresh(std::size_t i);
  /// As its lifecycle says: it gets requests, or does so no longer.
  void set_shown(std::size_t i, bool shown);
  bool shows_any() const { return replicas_shown() > 0; }
  std::size_t replicas_shown() const { return shown_.size(); }

  /// How long steps take, asked of no replica.
  PoolAnswers steps() const { return {{}, {}, pace_}; }

 private:
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
  PoolAnswers answers() const { return {replicas_, shown_, pace_}; }
  ReplicaViews views(const PoolAnswers& answers, const ReplicaViews* decoding = nullptr) const {
    return {views_, changed_, answers, decoding, membership_version_};
  }
  bool shown(std::size_t i) const { return place_of_[i] != nowhere; }

  std::unique_ptr<Router> router_;
  std::unique_ptr<Admission> admission_;
  bool needs_fresh_views_;
  bool reads_kv_;
  double signal_delay_s_;
  double signalled_s_ = 0;
  PoolPace pace_;
  Rng rng_;
  std::size_t first_;
  const std::vector<Replica>& replicas_;
  std::vector<std::uint32_t> shown_{};     // those that serve
  std::vector<std::uint32_t> place_of_{};  // of each replica, in `shown_`; nowhere
  std::uint64_t membership_version_ = 0;   // changes of these
  std::vector<ReplicaView> views_{};       // of `shown_`
  std::vector<std::uint32_t> changed_{};   // views, since the router last looked
};

}  // namespace servecast
