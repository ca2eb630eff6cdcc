#pragma once
#include <optional>
#include <vector>

#include "sim/engine/transfers/hand_overs.h"
#include "sim/serving/replica/replica.h"

namespace servecast {

/// One request on its way from the replica that computes its prompt to the one that decodes it.
struct HandOvers::HandOver {
  Request request{};  // the original
  KvMove move = KvMove::pulled;
  std::optional<ReplicaAt> from{};  // once it has got there
  std::size_t decode_pool = 0;
  std::optional<ReplicaAt> to{};           // once it is picked
  std::optional<Slot> exported{};          // its place on `from`: its prompt is computed
  std::optional<MovingSequence> moving{};  // until it is imported
  std::optional<Slot> place{};             // its place on `to`: it has its blocks there
  std::optional<Slot> imported{};          // its place on `to`, which has its record
  bool starts_over = false;                // its prompt does, and what was reserved at `to` is not given back yet
  bool reported = false;                   // its record is out
  std::int64_t flows = 0;                  // groups of flows under way
  std::vector<std::int64_t> groups{};      // all that were begun
  double cached_tokens = 0;                // KV tokens that are at `to` from the start
  double sent_tokens = 0;
  double prompt_end_s = 0;
};

}  // namespace servecast
