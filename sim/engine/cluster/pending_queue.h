#pragma once
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/serving/sequences/listener.h"

namespace servecast {

/// Requests that wait before a pool of which no replica serves, in order of arrival.
class PendingQueue {
 public:
  struct PendingRequest {
    PoolId pool{};  // that it waits for
    Request request{};
    std::optional<MovingSequence> begun{};  // on a replica that failed: it goes on
    bool has_kv = false;                    // that waits to be handed over
    double since_s = 0;

    /// Of one that was begun.
    RequestRecord record_so_far() const {
      RequestRecord record = begun->record;
      record.output_tokens = begun->made;
      return record;
    }
  };

  void enter(const PendingRequest& waiting);
  bool empty() const { return requests_.empty(); }
  /// When the next of them stops waiting.
  double next_give_up_s() const;
  std::vector<PendingRequest> take_given_up(double now_s);
  /// How many wait for this pool.
  std::int64_t count(PoolId pool) const;
  /// All requests that wait for this pool.
  std::vector<PendingRequest> take(PoolId pool);
  std::vector<PendingRequest> take_all();
  /// The KV of this request is lost.
  void forget_kv_of(RequestId request);

 private:
  using Place = std::pair<PoolId, std::int64_t>;
  PendingRequest take(Place place);

  std::map<Place, PendingRequest> requests_;
  std::set<std::pair<double, Place>> give_ups_;  // of those that will not wait for ever
  std::int64_t entered_ = 0;
};

}  // namespace servecast
