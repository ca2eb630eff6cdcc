// How a request gets what tiers below the GPU's memory hold of its prompt: blocks are taken first, then a fetch fills
// them while the request waits, then it is admitted as if the GPU had had it all along.
//
// Whose turn comes during the fetch is put aside and lets others pass, as in vLLM (requests waiting for remote KV).
// Blocks in the hands of somebody who waits are the first to be given up: what they hold stays in the cache while it
// can. What is computed or leaves the GPU goes the other way (KvTiers).
#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/serving/replica/replica.h"

namespace servecast {

void Replica::set_clocks() {
  if (clocked_cache_) setup_.kv_cache->set_clock(now_s_);
  if (setup_.tiers) setup_.tiers->set_clock(now_s_);
}

/// Is there anybody at the front of the queue who needs not wait for a fetch, or for room to make one?
bool Replica::front_may_be_admitted() {
  while (waiting_ > 0) {
    const Slot front = setup_.queue->front();
    Sequence& s = sequences_[front];
    if (!s.looked_below) look_below(front);
    if (!s.looked_below && !give_up_fetched_blocks(front)) return false;
    if (!s.looked_below) continue;
    if (!s.fetching || setup_.fetch.layers > 0) return true;
    setup_.queue->erase(front, s.request);
    s.aside = true;
    waiting_ -= 1;
    aside_ += 1;
  }
  return false;
}

/// Starts a fetch if one is worth it and there is room. Without room, somebody will look again.
void Replica::look_below(Slot slot) {
  Sequence& s = sequences_[slot];
  set_clocks();
  KvCache& cache = *setup_.kv_cache;
  const TierHits hits = setup_.tiers->find(s.request, cache.cached_tokens(s.request), cache.growth_tokens());
  const std::int64_t tokens = worth_fetching(s.request, hits);
  if (tokens > 0 && !cache.hold(s.request, s.held, hits.from_tokens + tokens, true)) return;
  s.looked_below = true;
  not_looked_below_ -= 1;
  if (tokens == 0) return;
  s.fetching = true;
  s.fetch_begun_s = now_s_;
  s.fetched_tokens = hits.from_tokens + tokens;
  s.fetched_behind = hits.from_tokens;
  setup_.tiers->fetch(s.request, cache.growth_tokens(), hits, tokens);
  std::vector<KvSource> sources;
  for (std::int64_t left = tokens; const KvSource& source : hits.sources) {
    if (left == 0) break;
    sources.push_back(source);
    sources.back().tokens = std::min(left, source.tokens);
    left -= sources.back().tokens;
  }
  account_blocks();
  links_->start(KvFetch{s.request.id, std::move(sources)}, now_s_, FetchFor{slot});
}

/// Fetching a part of a prompt and computing the rest: one after the other, or layer by layer, where a layer waits
/// for what is fetched of it and for the layer before. The first and the last layer tell, as all of them are alike.
double Replica::in_turn_s(double fetch_s, double compute_s) const {
  if (setup_.fetch.layers == 0) return fetch_s + compute_s;
  const auto layers = static_cast<double>(setup_.fetch.layers);
  return std::max(fetch_s + compute_s / layers, fetch_s / layers + compute_s);
}

/// Tokens of `hits`, from its beginning: up to where fetching these and computing the rest takes the least time, with
/// nothing else under way.
std::int64_t Replica::worth_fetching(const Request& request, const TierHits& hits) const {
  std::int64_t best = 0;
  double best_s = infinity;
  if (setup_.fetch.only_if_faster) best_s = prefill_s(hits.from_tokens, request.prompt_tokens);
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < hits.sources.size(); ++i) {
    tokens += hits.sources[i].tokens;
    if (!setup_.fetch.only_if_faster) {
      best = tokens;
      continue;
    }
    const KvFetch fetch{request.id,
                        {hits.sources.begin(), hits.sources.begin() + static_cast<std::ptrdiff_t>(i + 1)}};
    const double fetch_s = links_->alone_s(fetch);
    const double all_s = in_turn_s(fetch_s, prefill_s(hits.from_tokens + tokens, request.prompt_tokens));
    if (all_s >= best_s) continue;
    best = tokens;
    best_s = all_s;
  }
  return best;
}

/// Computing this part of a prompt in steps of its own.
double Replica::prefill_s(std::int64_t from_tokens, std::int64_t to_tokens) const {
  const std::int64_t most = setup_.batcher->max_step_tokens();
  double seconds = 0;
  for (std::int64_t done = from_tokens; done < to_tokens;) {
    const std::int64_t count = std::min(most, to_tokens - done);
    StepWork work;
    work.add_chunk(count, done, setup_.latency->chunk_s(count, done));
    seconds += stages_.seconds(work);
    done += count;
  }
  return seconds;
}

bool Replica::end(const FetchFor& fetch, ReplicaListener& listener) {
  set_clocks();
  const Slot slot = fetch.slot;
  Sequence& s = sequences_[slot];
  s.fetching = false;
  decide_again();
  may_start_ = true;
  if (s.awaited_by) {
    stages_.fetched(lanes_[*std::exchange(s.awaited_by, std::nullopt)].batches.last(), s.fetch_begun_s, now_s_);
    take_ends(listener);
  } else if (s.told) {
    setup_.kv_cache->release(s.request, s.held);
    sequences_.remove(slot);
    account_blocks();
  } else if (s.fetched_tokens > 0) {  // else preempted in the step that admitted it
    take_fetched(slot);
  }
  return true;
}

/// It waits with its blocks filled, as if they had been here all along.
void Replica::take_fetched(Slot slot) {
  Sequence& s = sequences_[slot];
  setup_.kv_cache->computed(s.request, s.held, s.fetched_tokens);
  setup_.tiers->write_computed();
  fetched_.push_back(slot);
  if (!s.aside) return;
  setup_.queue->push_front(slot, s.request);
  s.aside = false;
  aside_ -= 1;
  waiting_ += 1;
}

bool Replica::begins_write(const KvWrite& write, double now_s) {
  setup_.tiers->set_clock(now_s);
  if (!setup_.tiers->holds(write)) return true;
  setup_.tiers->written(write);
  return false;
}

void Replica::written(std::span<const KvWrite> writes, double now_s) {
  setup_.tiers->set_clock(now_s);
  for (const KvWrite& write : writes) setup_.tiers->written(write);
}

/// Of those that were fetched and still wait, the last but `keeper` gives back its blocks: whatever of them is still
/// there when its turn comes is found as usual, the rest is computed. False: there is none.
bool Replica::give_up_fetched_blocks(Slot keeper) {
  const auto last =
      std::ranges::find_if(fetched_.rbegin(), fetched_.rend(), [&](Slot slot) { return slot != keeper; });
  if (last == fetched_.rend()) return false;
  Sequence& s = sequences_[*last];
  fetched_.erase(std::next(last).base());
  setup_.kv_cache->release(s.request, s.held);
  s.held = {};
  s.fetched_tokens = 0;
  return true;
}

/// Its client gave up while it waited. Blocks into which a fetch writes stay taken until it is done.
void Replica::forget_fetched(Slot slot) {
  Sequence& s = sequences_[slot];
  if (s.aside) {
    aside_ -= 1;
  } else {
    setup_.queue->erase(slot, s.request);
    waiting_ -= 1;
  }
  uncomputed_tokens_ -= s.left();
  not_looked_below_ -= s.looked_below ? 0 : 1;
  decide_again();
  if (s.fetching) return;
  std::erase(fetched_, slot);
  setup_.kv_cache->release(s.request, s.held);
  sequences_.remove(slot);
}

}  // namespace servecast
