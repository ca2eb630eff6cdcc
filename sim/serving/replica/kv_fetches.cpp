#include "sim/serving/replica/kv_fetches.h"

#include <algorithm>
#include <utility>

namespace servecast {

void KvFetches::arrived(Slot slot) {
  if (!tiers_) return;
  core_.book[slot].tiers_probed = false;
  unprobed_ += 1;
  if (rules_.on_arrival) probe_tiers(slot);
}

bool KvFetches::front_may_be_admitted() {
  if (!tiers_) return true;
  while (core_.book.sums().of(SequenceState::waiting) > 0) {
    const Slot front = core_.setup.queue->front();
    const Sequence& s = core_.book[front];
    if (!s.tiers_probed) probe_tiers(front);
    if (!s.tiers_probed && !give_up_blocks(front)) return false;
    if (!s.tiers_probed) continue;
    if (!s.fetching || rules_.layers > 0) return true;
    core_.book.set_aside(front);
  }
  return false;
}

/// Starts a fetch if one is worth it and there is room. Without room, tiers are probed again later.
void KvFetches::probe_tiers(Slot slot) {
  Sequence& s = core_.book[slot];
  KvCache& cache = core_.cache();
  core_.blocks.set_clock(core_.clock.now_s);
  const TierHits hits = tiers_->find(s.request, cache.cached_tokens(s.request), cache.growth_tokens());
  const std::int64_t tokens = worth_fetching(s.request, hits);
  if (tokens > 0 && !cache.hold(s.request, s.held, hits.from_tokens + tokens, true)) return;
  s.tiers_probed = true;
  unprobed_ -= 1;
  if (tokens > 0) begin(slot, hits, tokens);
}

void KvFetches::begin(Slot slot, const TierHits& hits, std::int64_t tokens) {
  Sequence& s = core_.book[slot];
  s.fetching = true;
  s.fetch_begun_s = core_.clock.now_s;
  s.fetched_tokens = hits.from_tokens + tokens;
  s.fetched_behind = hits.from_tokens;
  tiers_->fetch(s.request, core_.cache().growth_tokens(), hits, tokens);
  std::vector<KvSource> sources;
  for (std::int64_t left = tokens; const KvSource& source : hits.sources) {
    if (left == 0) break;
    sources.push_back(source);
    sources.back().tokens = std::min(left, source.tokens);
    left -= sources.back().tokens;
  }
  core_.blocks.account(core_.clock.now_s);
  core_.links.start(KvFetch{s.request.id, std::move(sources)}, core_.clock.now_s, FetchFor{slot});
}

/// Fetching a part of a prompt and computing the rest: one after the other, or layer by layer, where a layer waits
/// for what is fetched of it and for the layer before. The first and the last layer decide, as all are alike.
double KvFetches::in_turn_s(double fetch_s, double compute_s) const {
  if (rules_.layers == 0) return fetch_s + compute_s;
  const auto layers = static_cast<double>(rules_.layers);
  return std::max(fetch_s + compute_s / layers, fetch_s / layers + compute_s);
}

/// Tokens of `hits`, from its beginning: up to where fetching these and computing the rest takes the least time, with
/// nothing else under way.
std::int64_t KvFetches::worth_fetching(const Request& request, const TierHits& hits) const {
  std::int64_t best = 0;
  double best_s = StepRun::infinity;
  if (rules_.only_if_faster) best_s = prefill_s(hits.from_tokens, request.prompt_tokens);
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < hits.sources.size(); ++i) {
    tokens += hits.sources[i].tokens;
    if (!rules_.only_if_faster) {
      best = tokens;
      continue;
    }
    const KvFetch fetch{request.id,
                        {hits.sources.begin(), hits.sources.begin() + static_cast<std::ptrdiff_t>(i + 1)}};
    const double fetch_s = core_.links.alone_s(fetch);
    const double all_s = in_turn_s(fetch_s, prefill_s(hits.from_tokens + tokens, request.prompt_tokens));
    if (all_s >= best_s) continue;
    best = tokens;
    best_s = all_s;
  }
  return best;
}

/// Computing this part of a prompt in steps of its own.
double KvFetches::prefill_s(std::int64_t from_tokens, std::int64_t to_tokens) const {
  const std::int64_t most = core_.setup.batcher->max_step_tokens();
  double seconds = 0;
  for (std::int64_t done = from_tokens; done < to_tokens;) {
    const std::int64_t count = std::min(most, to_tokens - done);
    StepWork work;
    work.add_chunk(count, done, core_.setup.latency->chunk_s(count, done));
    seconds += core_.pipeline.seconds(work);
    done += count;
  }
  return seconds;
}

void KvFetches::await_all(FilledBatch& batch) {
  for (const FilledBatch::Chunk& chunk : batch.chunks) {
    Sequence& s = core_.book[chunk.slot];
    if (!s.fetching || s.awaited_by) continue;
    s.awaited_by = static_cast<std::uint16_t>(batch.run.lane);
    batch.run.fetches += 1;
  }
}

std::optional<std::uint16_t> KvFetches::ended(Slot slot) {
  Sequence& s = core_.book[slot];
  core_.blocks.set_clock(core_.clock.now_s);
  core_.lanes.decide_again();
  core_.clock.may_start = true;
  s.fetching = false;
  if (s.awaited_by) return std::exchange(s.awaited_by, std::nullopt);
  if (s.reported) {
    core_.cache().release(s.request, s.held);
    core_.book.remove(slot);
    core_.blocks.account(core_.clock.now_s);
  } else if (s.fetched_tokens > 0) {  // else preempted in the step that admitted it
    take(slot);
  }
  return std::nullopt;
}

/// It waits with its blocks filled, as if they had been here all along.
void KvFetches::take(Slot slot) {
  Sequence& s = core_.book[slot];
  core_.cache().computed(s.request, s.held, s.fetched_tokens);
  tiers_->write_computed();
  fetched_.push_back(slot);
  if (s.state == SequenceState::aside) core_.book.put_in_front(slot);
}

bool KvFetches::give_up_blocks(Slot keeper) {
  const auto last =
      std::ranges::find_if(fetched_.rbegin(), fetched_.rend(), [&](Slot slot) { return slot != keeper; });
  if (last == fetched_.rend()) return false;
  Sequence& s = core_.book[*last];
  fetched_.erase(std::next(last).base());
  core_.cache().release(s.request, s.held);
  s.held = {};
  s.fetched_tokens = 0;
  return true;
}

void KvFetches::forget(Slot slot) {
  const Sequence& s = core_.book[slot];
  unprobed_ -= s.tiers_probed ? 0 : 1;
  if (s.fetching) return core_.book.forget(slot);
  if (std::erase(fetched_, slot) > 0) core_.cache().release(s.request, s.held);
  core_.book.remove(slot);
}

void KvFetches::write(const FilledBatch& batch) {
  if (!tiers_) return;
  tiers_->set_clock(core_.clock.now_s);
  tiers_->write(batch.computed);
  tiers_->write_computed();
}

}  // namespace servecast
