// What autoscalers ask of the dispatcher.
#include <algorithm>

#include "sim/engine/dispatcher.h"

namespace servecast {

/// Copies ask for one token, since what fills a cache is the prompt. Their ids count down from the highest there is.
constexpr std::uint32_t first_mirror_id = 0xffffffff;

void Dispatcher::make_ready(const ReplicaAt& at, double now_s) {
  ++comings_;
  pools_[at.pool].set_ready(at.replica, now_s, *this);
  if (failures_) failures_->set_pace(at, now_s);
  touch(at.pool, at.replica);
}

void Dispatcher::withdraw(const ReplicaAt& at) {
  ++comings_;
  pools_[at.pool].set_serving(at.replica, false);
}

// It gets nothing more: its next step may start, and those whose clients have given up are out of it.
bool Dispatcher::is_done(const ReplicaAt& at, double now_s) {
  pools_[at.pool].advance(at.replica, now_s, *this);
  pools_[at.pool].start(at.replica, *this);
  return pools_[at.pool][at.replica].empty();
}

void Dispatcher::switch_off(const ReplicaAt& at, double now_s) {
  ++comings_;
  stop(at, now_s);
  lose_memory(at, now_s);
}

std::vector<ReplicaView> Dispatcher::serving(std::size_t pool, double now_s) {
  pools_[pool].advance_all(now_s, *this);
  std::vector<ReplicaView> views;
  for (std::size_t i = 0; i < pools_[pool].size(); ++i)
    if (serves({pool, i})) views.push_back(pools_[pool][i].view());
  return views;
}

std::int64_t Dispatcher::requests(const ReplicaAt& at, double now_s) {
  const ReplicaView view = advanced(at, now_s).view();
  return view.running_requests + view.waiting_requests;
}

// As with failures, nothing starts after the last request; but a step of a replica that drains may outlast that.
void Dispatcher::scale_due(double now_s) {
  const bool retired = lifecycle_.retire_drained(now_s);
  const bool looks = scaling_ && scaling_->next_s() <= now_s;
  if (!retired && !looks && lifecycle_.next_s() > now_s) return;
  for (ReplicaPool& pool : pools_) pool.advance_all(now_s, *this);
  if (!requests_left()) return;
  lifecycle_.act_due(now_s);
  if (scaling_) scaling_->look_due(now_s);
  lifecycle_.settle(now_s);
}

void Dispatcher::mirror(const Request& request, double now_s) {
  for (const ReplicaAt& at : scaling_->mirrors_of(request)) {
    Request copy = request;
    copy.id = RequestId{first_mirror_id - mirrored_++};
    copy.output_tokens = 1;
    copy.samples = 1;
    copy.beam_width = 1;
    copy.awaited = false;
    copy.give_up_s = Request::forever;
    ++in_pools_;
    pools_[at.pool].deliver(copy, {.replica = at.replica}, Serve::whole, now_s, *this);
    touch(at.pool, at.replica);
  }
}

bool Dispatcher::is_mirrored(RequestId id) const { return mirrored_ > 0 && index(id) > first_mirror_id - mirrored_; }

}  // namespace servecast
