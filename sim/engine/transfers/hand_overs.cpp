#include "sim/engine/transfers/hand_overs.h"

#include <algorithm>
#include <cassert>

#include "models/base/rng.h"
#include "sim/engine/cluster/cluster.h"
#include "sim/engine/transfers/hand_over.h"
#include "sim/input/scenario/scenario.h"
#include "sim/report/record/recorder.h"
#include "sim/serving/replica/replica.h"

namespace servecast {
namespace {

constexpr double message_s = 10e-6;  // as Fabric::end_latency_s of the bundled fabrics

/// Pools with the same engine of transfers are off alike.
TransferTerms drawn_terms(const Placement& placement, const ScenarioSpec& scenario) {
  const TransferTerms terms = placement.transfer_terms();
  if (scenario.calibration_draw == 0) return terms;
  Rng rng(static_cast<std::uint64_t>(scenario.calibration_draw), "calibration/transfers");
  return terms.drawn(std::min(1.0, scenario.calibration_spread), rng);  // no batch makes them less certain
}

class PoolMembers final : public RoleMembers {
 public:
  PoolMembers(const Cluster& cluster, std::size_t pool) : cluster_(cluster), pool_(pool) {}
  bool serves(std::size_t i) const override { return cluster_.lifecycle().serves({pool_, i}); }
  bool empty(std::size_t i) const override { return cluster_.replica({pool_, i}).empty(); }
  ReplicaView view(std::size_t i) const override { return cluster_.replica({pool_, i}).view(); }

 private:
  const Cluster& cluster_;
  std::size_t pool_;
};

}  // namespace

bool hands_over(const Scenario& scenario) {
  return std::ranges::any_of(scenario.pools, [](const Pool& pool) {
    return pool.decode_pool || pool.spec.placement.make()->prefill_replicas() > 0;
  });
}

HandOvers::HandOvers(const Scenario& scenario, const Wiring& wiring, Flows& flows, Recorder& recorder,
                     Cluster& cluster, Callbacks& callbacks)
    : scenario_(scenario),
      flows_(flows),
      recorder_(recorder),
      cluster_(cluster),
      callbacks_(callbacks),
      routes_(scenario, wiring, "kv_hand_over") {
  for (const Pool& pool : scenario.pools) {
    PoolRules rules{.placement = pool.spec.placement.make()};
    rules.transfers = drawn_terms(*rules.placement, scenario.spec);
    const bool takes_sides = rules.placement->prefill_replicas() > 0;
    if (takes_sides)
      rules.roles.emplace(*rules.placement, std::make_unique<PoolMembers>(cluster, rules_.size()),
                          pool.spec.replicas);
    if (takes_sides)
      rules.decode_pool = rules_.size();
    else if (pool.decode_pool)
      rules.decode_pool = *pool.decode_pool;
    else
      rules.placement.reset();
    rules_.push_back(std::move(rules));
  }
}

HandOvers::~HandOvers() = default;

std::optional<HandOvers::Start> HandOvers::begin(const Request& request, double now_s) {
  PoolRules& rules = rules_[index(request.pool)];
  if (!rules.placement) return Start{.request = request};
  std::optional<ReplicaAt> first;
  if (rules.roles) {
    first = pick(rules.decode_pool, true, now_s);
    const auto second = pick(rules.decode_pool, false, now_s);
    if (!first || !second) return Start{.request = request, .to = first ? first : second};  // it is alone
  }
  const KvMove move = request.output_tokens == 1 ? KvMove::stays : rules.placement->move(request);
  if (move == KvMove::stays) return Start{.request = request, .to = first};
  if (!fits(cluster_.advanced({.pool = rules.decode_pool}, now_s).core().setup, request)) return std::nullopt;
  HandOver h{.request = request, .move = move, .decode_pool = rules.decode_pool};
  if (move != KvMove::pulled) {
    h.to = decoder(request, now_s);
    if (h.to) {
      cluster_.advanced(*h.to, now_s).imports().expect();
      cluster_.changed(*h.to);
    }
  }
  under_way_.emplace(request.id, std::move(h));
  Start start{
      .serve = move == KvMove::streamed ? Serve::streamed_prompt : Serve::prompt, .request = request, .to = first};
  start.request.output_tokens = 1;
  start.request.awaited = true;  // by us
  return start;
}

void HandOvers::begun(RequestId id, const ReplicaAt& at) { under_way_.at(id).from = at; }

void HandOvers::prompt_done(Slot place, const MovingSequence& sequence, double now_s) {
  HandOver& h = under_way_.at(sequence.request.id);
  h.exported = place;
  h.moving = sequence;
  h.moving->request = h.request;
  h.prompt_end_s = now_s;
  unsettled_.insert(sequence.request.id);
}

// A layer's KV can leave when the layer is computed. All but the last layer's leave together, from when the first is
// done: they cannot arrive before they are computed, but on an idle path they would end sooner than the step and the
// hand-over waits for the last layer anyway. The last chunk's last layer leaves when the prompt is done: other
// traffic may delay the step's end.
void HandOvers::chunk_launched(const PromptChunk& chunk) {
  const HandOver& h = under_way_.at(chunk.request);
  const auto layers = static_cast<double>(scenario_.pools[h.from->pool].llm.layers);
  const auto tokens = static_cast<double>(chunk.computed_tokens);
  const double last_layer = static_cast<double>(chunk.tokens) / layers;
  const double layer_s = (chunk.end_s - chunk.start_s) / layers;
  chunks_.insert({.at_s = chunk.start_s + layer_s, .request = chunk.request, .tokens = tokens - last_layer});
  if (chunk.computed_tokens < h.request.prompt_tokens)
    chunks_.insert({.at_s = chunk.end_s, .request = chunk.request, .tokens = tokens});
}

// The decoding replica hears a little later: what it frees may be wanted by prompts that wait for it, and these
// keep blocks which this one waits for.
void HandOvers::prompt_restarts(RequestId id, double now_s) {
  std::erase_if(chunks_, [id](const ChunkDue& due) { return due.request == id; });
  chunks_.insert({.at_s = now_s + message_s, .request = id, .tokens = 0});
}

void HandOvers::import_has_room(RequestId id, Slot place, std::int64_t cached_tokens) {
  HandOver& h = under_way_.at(id);
  h.place = place;
  h.cached_tokens = static_cast<double>(cached_tokens);
  unsettled_.insert(id);
}

std::optional<Request> HandOvers::request_done(RequestId id) {
  const auto found = under_way_.find(id);
  if (found == under_way_.end()) return std::nullopt;
  found->second.reported = true;
  unsettled_.insert(id);
  return found->second.request;
}

void HandOvers::settle(double now_s) {
  while (!unsettled_.empty()) settle(unsettled_.extract(unsettled_.begin()).value(), now_s);
}

void HandOvers::settle(RequestId id, double now_s) {
  const auto found = under_way_.find(id);
  if (found == under_way_.end()) return;
  HandOver& h = found->second;
  if (h.reported && h.flows == 0) return forget(id, now_s);
  if (h.moving && !h.reported && !callbacks_.admits_decode(h.request, h.decode_pool, now_s)) return settle(id, now_s);
  if (h.moving && !h.reported && !hand_over(h, now_s)) return;
  if (!h.imported || !h.place) return;
  const Placement& placement = *rules_[h.from->pool].placement;
  const auto layers = static_cast<double>(scenario_.pools[h.from->pool].llm.layers);
  const double lists_s = layers * rules_[h.from->pool].transfers.layer_s;
  send(h, static_cast<double>(h.request.prompt_tokens), now_s + placement.setup_s() + lists_s);
  if (h.flows == 0) complete(h, now_s);
}

// Its prompt is computed: the decoding replica hears that. False where it goes another way.
bool HandOvers::hand_over(HandOver& h, double now_s) {
  if (!h.to) {
    const auto to = decoder(h.request, now_s);
    if (!to) return callbacks_.wait_for(h.decode_pool, *h.moving, now_s), false;
    if (to == h.from) return stay(h, now_s), false;
    h.to = to;
    cluster_.advanced(*h.to, now_s).imports().expect();
  }
  h.imported = cluster_.advanced(*h.to, now_s).imports().bring(*h.moving, h.place, now_s);
  cluster_.changed(*h.to);
  h.moving.reset();
  return true;
}

// No other replica serves, or it has changed sides meanwhile.
void HandOvers::stay(const HandOver& h, double now_s) {
  const ReplicaAt at = *h.from;
  const MovingSequence sequence = *h.moving;
  release_exported(h, now_s);
  under_way_.erase(h.request.id);
  callbacks_.compute_again(at, sequence, now_s);
}

std::size_t HandOvers::decode_pool(const Request& request) const {
  const PoolRules& rules = rules_[index(request.pool)];
  return rules.placement ? rules.decode_pool : index(request.pool);
}

// By the pool's router, unless its replicas take sides.
std::optional<ReplicaAt> HandOvers::decoder(const Request& request, double now_s) {
  const std::size_t pool = decode_pool(request);
  if (!cluster_.anyone_serves(pool)) return std::nullopt;
  if (!rules_[pool].roles) return callbacks_.route(pool, request, now_s);
  const auto decoding = pick(pool, false, now_s);
  return decoding ? decoding : pick(pool, true, now_s);
}

// Of a pool whose replicas take sides.
std::optional<ReplicaAt> HandOvers::pick(std::size_t pool, bool prefill, double now_s) {
  cluster_.pools()[pool].advance_all(now_s);
  Roles& roles = *rules_[pool].roles;
  roles.cover();
  const auto replica = roles.pick(prefill);
  return replica ? std::optional(ReplicaAt{pool, *replica}) : std::nullopt;
}

double HandOvers::next_s() const { return chunks_.empty() ? Replica::infinity : chunks_.begin()->at_s; }

double HandOvers::next_check_s() const {
  double at_s = Replica::infinity;
  for (const PoolRules& rules : rules_)
    if (rules.roles) at_s = std::min(at_s, rules.roles->next_check_s());
  return at_s;
}

void HandOvers::check_roles(double now_s) {
  for (std::size_t pool = 0; pool < rules_.size(); ++pool) {
    std::optional<Roles>& roles = rules_[pool].roles;
    if (!roles || roles->next_check_s() > now_s) continue;
    cluster_.pools()[pool].advance_all(now_s);
    roles->check(now_s);
  }
}

void HandOvers::send_due(double now_s) {
  while (!chunks_.empty() && chunks_.begin()->at_s <= now_s) {
    const ChunkDue due = *chunks_.begin();
    chunks_.erase(chunks_.begin());
    const auto found = under_way_.find(due.request);
    if (found == under_way_.end() || found->second.reported || found->second.exported) continue;
    HandOver& h = found->second;
    if (due.tokens == 0) {
      h.starts_over = h.place.has_value();
      if (h.flows == 0) start_over(h, now_s);
      continue;
    }
    if (!h.to || h.starts_over) continue;  // what is under way has to arrive first
    if (!h.place) reserve(h, now_s);
    if (h.place) send(h, due.tokens, now_s);
  }
}

// The whole prompt's blocks, for its first chunk. Without room the KV stays until there is some, the prompt computed
// or not.
void HandOvers::reserve(HandOver& h, double now_s) {
  Imports& to = cluster_.advanced(*h.to, now_s).imports();
  h.place = to.reserve(h.request, h.request.prompt_tokens, now_s);
  if (h.place) h.cached_tokens = static_cast<double>(to.cached_tokens(*h.place));
  cluster_.changed(*h.to);
}

// It gives back what was reserved for it, and is a prompt like any other from its next chunk on.
void HandOvers::start_over(HandOver& h, double now_s) {
  if (!h.starts_over) return;
  Imports& to = cluster_.advanced(*h.to, now_s).imports();
  to.cancel(h.place, now_s);
  to.expect();
  cluster_.changed(*h.to);
  h.place.reset();
  h.cached_tokens = h.sent_tokens = 0;
  h.starts_over = false;
}

// Tokens count from the start of the prompt; those that `to` has from the start are not sent.
void HandOvers::send(HandOver& h, double up_to_tokens, double at_s) {
  const KvSpan tokens{.from = h.cached_tokens + h.sent_tokens,
                      .to = up_to_tokens,
                      .last = up_to_tokens >= static_cast<double>(h.request.prompt_tokens)};
  if (tokens.to <= tokens.from) return;
  h.sent_tokens += tokens.to - tokens.from;
  h.flows += 1;
  std::vector<Transfer> transfers = routes_.transfers(*h.from, *h.to, h.request.id, tokens);
  // What does not reach the links' rate takes them for longer.
  for (Transfer& transfer : transfers) transfer.bytes /= rules_[h.from->pool].transfers.rate_fraction;
  h.groups.push_back(
      flows_.start(std::move(transfers), at_s, [this, id = h.request.id](double end_s) { sent(id, end_s); }));
}

void HandOvers::sent(RequestId id, double now_s) {
  HandOver& h = under_way_.at(id);
  h.flows -= 1;
  if (h.flows > 0) return;
  if (h.imported) return complete(h, now_s);  // it was sent whole when the prompt was computed
  if (h.reported) return forget(id, now_s);
  start_over(h, now_s);
}

void HandOvers::complete(HandOver& h, double now_s) {
  const double seconds = now_s - h.prompt_end_s;
  Replica& to = cluster_.advanced(*h.to, now_s);  // perhaps its client has given up there
  if (!h.reported)
    recorder_.hand_over(PoolId(h.from->pool), seconds, routes_.bytes(*h.from, *h.to, {.to = h.sent_tokens}));
  to.imports().kv_received(*h.place, seconds, now_s);
  cluster_.changed(*h.to);
  release_exported(h, now_s);
  under_way_.erase(h.request.id);
}

void HandOvers::release_exported(const HandOver& h, double now_s) {
  if (!h.exported) return;
  cluster_.advanced(*h.from, now_s).exports().release(*h.exported, now_s);
  cluster_.changed(*h.from);
}

void HandOvers::cancel_import(const HandOver& h, double now_s) {
  if (!h.to || h.imported) return;
  cluster_.advanced(*h.to, now_s).imports().cancel(h.place, now_s);
  cluster_.changed(*h.to);
}

// Its client gave up. Where the replicas know of that, they have dropped it, or will when its KV was received.
void HandOvers::forget(RequestId id, double now_s) {
  HandOver& h = under_way_.at(id);
  release_exported(h, now_s);
  cancel_import(h, now_s);
  under_way_.erase(id);
}

}  // namespace servecast
