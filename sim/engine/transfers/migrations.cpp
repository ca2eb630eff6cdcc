#include "sim/engine/transfers/migrations.h"

#include <algorithm>
#include <cmath>

#include "models/policy/shared/freeness.h"
#include "sim/engine/cluster/cluster.h"
#include "sim/input/scenario/scenario.h"
#include "sim/report/record/recorder.h"

namespace servecast {
namespace {

/// The first whole multiple of `every_s` that does not lie before `now_s`.
double multiple_from(double now_s, double every_s) {
  if (every_s == Replica::infinity) return every_s;
  double n = std::floor(now_s / every_s);
  while (n * every_s < now_s) n += 1;
  return n * every_s;
}

bool moves(const Migration& migration) { return migration.check_every_s() < Replica::infinity; }

}  // namespace

bool migrates(const Scenario& scenario) {
  return std::ranges::any_of(scenario.pools, [](const Pool& pool) { return moves(*pool.spec.migration.make()); });
}

Migrations::Migrations(const Scenario& scenario, const Wiring& wiring, Flows& flows, Recorder& recorder,
                       Cluster& cluster)
    : flows_(flows), recorder_(recorder), cluster_(cluster), routes_(scenario, wiring, "kv_migration") {
  for (const Pool& pool : scenario.pools) {
    sizes_.push_back(static_cast<std::size_t>(pool.spec.replicas));
    rules_.push_back({.migration = pool.spec.migration.make(),
                      .clears_out = pool.spec.scaling && pool.spec.scaling->drain == "migrate",
                      .block_tokens = std::max<std::int64_t>(1, pool.spec.kv_cache.make()->growth_tokens())});
    rules_.back().next_check_s = rules_.back().migration->check_every_s();
  }
}

void Migrations::act_due(double now_s) {
  for (std::size_t pool = 0; pool < rules_.size(); ++pool) {
    Rules& rules = rules_[pool];
    const double every_s = rules.migration->check_every_s();
    if (rules.next_check_s < now_s)
      rules.next_check_s = multiple_from(now_s, every_s);  // no request was there meanwhile
    if (rules.next_check_s > now_s || every_s == Replica::infinity) continue;
    pair_up(pool, now_s);
    rules.next_check_s = multiple_from(std::nextafter(now_s, Replica::infinity), every_s);
  }
}

double Migrations::next_check_s() const {
  double at_s = Replica::infinity;
  for (std::size_t pool = 0; pool < rules_.size(); ++pool) {
    const ReplicaPool& replicas = cluster_.pools()[pool];
    if (rules_[pool].next_check_s < at_s && (replicas.busy() || replicas.runs_any()))
      at_s = rules_[pool].next_check_s;
  }
  return at_s;
}

bool Migrations::moves_out(const ReplicaAt& at) const {
  return rules_[at.pool].clears_out && cluster_.lifecycle().drains(at);
}

bool Migrations::takes_part(const ReplicaAt& at) const {
  return under_way_.contains(at) || std::ranges::any_of(under_way_, [&](const auto& m) { return m.second.to == at; });
}

void Migrations::pair_up(std::size_t pool, double now_s) {
  cluster_.pools()[pool].advance_all(now_s);
  const Rules& rules = rules_[pool];
  clear_out(pool, now_s);
  std::vector<ReplicaView> views;
  std::vector<ReplicaAt> shown;
  for (std::size_t i = 0; i < sizes_[pool]; ++i) {
    const ReplicaAt at{pool, i};
    if (!cluster_.replica(at).core().clock.ready || !cluster_.lifecycle().serves(at) || takes_part(at)) continue;
    views.push_back(cluster_.replica(at).view());
    shown.push_back(at);
  }
  for (const MigrationPair& pair : rules.migration->pairs(views, rules.block_tokens))
    begin(shown[pair.from], shown[pair.to], now_s);
}

/// Replicas that drain send what they have to the freest one (Llumnix, section 4.4.3: as if they were full).
void Migrations::clear_out(std::size_t pool, double now_s) {
  for (std::size_t i = 0; i < sizes_[pool]; ++i) {
    const ReplicaAt from{pool, i};
    if (!moves_out(from) || under_way_.contains(from)) continue;
    std::optional<ReplicaAt> to;
    const auto free = [&](std::size_t r) {
      return freeness(cluster_.replica({pool, r}).view(), rules_[pool].block_tokens);
    };
    for (std::size_t r = 0; r < sizes_[pool]; ++r)
      if (cluster_.lifecycle().serves({pool, r}) && !takes_part({pool, r}) && (!to || free(r) > free(to->replica)))
        to = {pool, r};
    if (to) begin(from, *to, now_s);
  }
}

void Migrations::begin(const ReplicaAt& from, const ReplicaAt& to, double now_s) {
  const auto sequence = cluster_.advanced(from, now_s).exports().shortest_decoding();
  if (!sequence) return;
  Imports& there = cluster_.advanced(to, now_s).imports();
  const auto place = there.reserve(sequence->request, sequence->tokens, now_s);
  if (!place) return;
  there.expect();
  cluster_.changed(to);
  Moving& m = under_way_[from] = {.sequence = *sequence, .to = to, .place = *place};
  m.there_tokens = there.cached_tokens(*place);
  send(from, m, sequence->tokens, now_s);
}

void Migrations::send(const ReplicaAt& from, Moving& m, std::int64_t up_to_tokens, double at_s) {
  const auto tokens = static_cast<double>(std::max<std::int64_t>(1, up_to_tokens - m.there_tokens));
  m.there_tokens = std::max(m.there_tokens, up_to_tokens);
  m.sent_tokens += tokens;
  m.group = flows_.start(routes_.transfers(from, m.to, m.sequence.request.id, {.to = tokens, .last = m.stopped}),
                         at_s, [this, from](double end_s) { sent(from, end_s); });
}

void Migrations::sent(const ReplicaAt& from, double now_s) {
  Moving& m = under_way_.at(from);
  if (m.stopped) {
    complete(from, m, now_s);
  } else if (next_stage(from, m, now_s)) {
    return;
  } else {
    abort(from, m, now_s);
  }
  under_way_.erase(from);
}

void Migrations::abort(const ReplicaAt& from, const Moving& m, double now_s) {
  cluster_.advanced(m.to, now_s).imports().cancel(m.place, now_s);
  cluster_.changed(m.to);
  recorder_.migration_aborted(PoolId(from.pool));
}

// Until it stops decoding, a sequence is where it was; from then on it is where it goes to.
void Migrations::stopped(const ReplicaAt& at, std::vector<MovingSequence>& interrupted, double now_s) {
  for (auto next = under_way_.begin(); next != under_way_.end();) {
    const auto moving = next++;
    const auto& [from, m] = *moving;
    if (from != at && m.to != at) continue;
    flows_.cancel(m.group, now_s);
    if (m.to == at && m.stopped) {
      cluster_.advanced(from, now_s).exports().release(m.sequence.slot, now_s);
      cluster_.changed(from);
    } else if (m.to != at && m.stopped) {
      if (const auto lost = cluster_.recall(m.to, m.place, now_s)) interrupted.push_back(*lost);
    } else if (m.to != at) {
      abort(from, m, now_s);
    }
    if (m.stopped || m.to == at) recorder_.migration_aborted(PoolId(from.pool));
    waiting_.erase(from);
    under_way_.erase(moving);
  }
}

// False where the sequence does not decode here any more, or the other replica has no room for what it has made.
bool Migrations::next_stage(const ReplicaAt& from, Moving& m, double now_s) {
  const auto progress = cluster_.advanced(from, now_s).exports().progress(m.sequence);
  if (!progress) return false;
  const Rules& rules = rules_[from.pool];
  const std::int64_t left = progress->computed_tokens - m.there_tokens;
  const bool last = left <= rules.migration->last_stage_blocks() * rules.block_tokens;
  const std::int64_t up_to = last ? progress->tokens : progress->computed_tokens;
  if (!cluster_.advanced(m.to, now_s).imports().extend(m.place, up_to, now_s)) return false;
  cluster_.changed(m.to);
  if (last)
    stop(from, m, now_s);
  else
    send(from, m, up_to, now_s);
  return true;
}

void Migrations::stop(const ReplicaAt& from, Moving& m, double now_s) {
  const DetachedSequence detached = cluster_.detach(from, m.sequence.slot, now_s);
  cluster_.advanced(m.to, now_s).imports().bring(detached.sequence, m.place, now_s);
  cluster_.changed(m.to);
  m.stopped = true;
  m.last_tokens = detached.sequence.tokens;
  m.last_batch = detached.last_batch;
  waiting_.insert(from);
  settle(now_s);
}

// The rest leaves when the batches that were under way have computed it, which may wait for transfers themselves.
void Migrations::settle(double now_s) {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const auto waits = next++;
    Moving& m = under_way_.at(*waits);
    const double complete_s = std::max(now_s, cluster_.replica(*waits).core().pipeline.end_s(m.last_batch));
    if (complete_s == Replica::infinity) continue;
    m.stopped_s = complete_s;
    send(*waits, m, m.last_tokens, complete_s);
    waiting_.erase(waits);
  }
}

void Migrations::complete(const ReplicaAt& from, const Moving& m, double now_s) {
  recorder_.migrated(PoolId(from.pool), now_s - m.stopped_s, routes_.bytes(from, m.to, {.to = m.sent_tokens}));
  cluster_.advanced(m.to, now_s).imports().kv_received(m.place, std::nullopt, now_s);
  cluster_.changed(m.to);
  cluster_.advanced(from, now_s).exports().release(m.sequence.slot, now_s);
  cluster_.changed(from);
}

}  // namespace servecast
