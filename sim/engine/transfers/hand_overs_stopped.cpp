// Hand-overs of which one side stops. One is a lease on both: what it holds on the other side is given back, and its
// request goes where `in_flight` says.
#include <algorithm>

#include "sim/engine/cluster/cluster.h"
#include "sim/engine/transfers/hand_over.h"
#include "sim/engine/transfers/hand_overs.h"

namespace servecast {

void HandOvers::stopped(const ReplicaAt& at, std::vector<MovingSequence>& interrupted, double now_s) {
  for (auto next = under_way_.begin(); next != under_way_.end();) {
    HandOver& h = (next++)->second;  // it may go
    if (h.from != at && h.to != at) continue;
    for (const std::int64_t group : h.groups) flows_.cancel(group, now_s);
    h.flows = 0;
    h.from == at ? lose_sender(h, interrupted, now_s) : lose_receiver(h, now_s);
  }
}

// The prompt's KV is gone, computed or not. An imported sequence whose client has given up is dropped when its KV
// lands, or was at once where it had no blocks.
void HandOvers::lose_sender(HandOver& h, std::vector<MovingSequence>& interrupted, double now_s) {
  std::erase_if(chunks_, [&](const ChunkDue& due) { return due.request == h.request.id; });
  cancel_import(h, now_s);
  if (h.imported && (!h.reported || h.place)) {
    if (const auto lost = cluster_.recall(*h.to, *h.imported, now_s)) interrupted.push_back(*lost);
  } else if (h.moving && !h.reported) {
    interrupted.push_back(*h.moving);
  }
  for (MovingSequence& sequence : interrupted)
    if (sequence.request.id == h.request.id) sequence.request = h.request;
  under_way_.erase(h.request.id);
}

// What was imported is among those that the replica had. Before that the prompt is computed as ever, and which
// replica decodes it is chosen when that is done.
void HandOvers::lose_receiver(HandOver& h, double now_s) {
  if (h.imported) {
    release_exported(h, now_s);
    under_way_.erase(h.request.id);
    return;
  }
  h.to.reset();
  h.place.reset();
  h.starts_over = false;
  h.cached_tokens = h.sent_tokens = 0;
  unsettled_.insert(h.request.id);
}

}  // namespace servecast
