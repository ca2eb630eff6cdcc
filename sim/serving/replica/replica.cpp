#include "sim/serving/replica/replica.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "sim/serving/replica/batch_filler.h"
#include "sim/serving/replica/repeated_steps.h"

namespace servecast {

struct Replica::Parts {
  explicit Parts(ReplicaSetup setup) : core(std::move(setup)) {}

  ReplicaCore core;
  KvFetches fetches{core};
  Imports imports{core};
  Exports exports{core};
  Swapping swapping{core};
  LaneRemovals removals{core, fetches, imports, swapping};
  StepEnds ends{core, fetches, exports};
  BatchResults results{core, fetches, exports, ends};
  BatchFiller filler{core, fetches, imports, swapping, removals, ends, results};
  RepeatedSteps repeated{core, imports, ends, results};
};

Replica::Replica(ReplicaSetup setup) : parts_(std::make_unique<Parts>(std::move(setup))) {}
Replica::Replica(Replica&&) noexcept = default;
Replica& Replica::operator=(Replica&&) noexcept = default;
Replica::~Replica() = default;

Imports& Replica::imports() { return parts_->imports; }
Exports& Replica::exports() { return parts_->exports; }
const ReplicaCore& Replica::core() const { return parts_->core; }

bool Replica::enqueue(const Request& request, double now_s, ReplicaListener& listener, Serve serve) {
  const ReplicaSetup& setup = core().setup;
  Sequence s{.request = request, .to_compute = request.prompt_tokens, .serve = serve, .since_s = now_s};
  s.record = {.id = request.id,
              .arrival_s = request.arrival_s,
              .prompt_tokens = request.prompt_tokens,
              .pool = setup.pool,
              .replica = setup.id,
              .request_class = request.request_class,
              .samples = static_cast<std::uint16_t>(request.samples)};
  if (!fits(setup, request) || request.prompt_tokens > setup.batcher->max_prompt_tokens()) {
    s.record.status = RequestStatus::rejected;
    listener.request_done(request, s.record);
    return false;
  }
  take_in(s, now_s);
  return true;
}

void Replica::resume(const MovingSequence& sequence, double now_s) {
  Sequence s{.request = sequence.request,
             .record = sequence.record,
             .to_compute = sequence.request.prompt_tokens + sequence.made,
             .made = sequence.made,
             .reported_service = sequence.made,
             .since_s = now_s,
             .last_token_s = sequence.last_token_s,
             .checks = sequence.checks};
  s.record.replica = core().id();
  take_in(s, now_s);
}

void Replica::take_in(const Sequence& sequence, double now_s) {
  ReplicaCore& core = parts_->core;
  core.lanes.report_service();
  core.clock.wake(now_s);
  const Slot slot = core.book.arrive(sequence);
  if (core.setup.queue->front() == slot) core.lanes.decide_again();
  if (SmSides* sides = core.pipeline.sides()) sides->arrived();
  parts_->fetches.arrived(slot);
}

void Replica::adopt(const Request& request, std::int64_t tokens) {
  KvCache& cache = core().cache();
  KvHeld held;
  if (!cache.hold(request, held, tokens, true)) return;
  cache.computed(request, held, tokens);
  cache.release(request, held);
}

bool Replica::empty() const { return core().book.sums().empty() && parts_->imports.expected() == 0; }

void Replica::set_pace(const StepPace& pace) { parts_->core.pipeline.set_pace(pace); }

void Replica::set_ready(double now_s) {
  parts_->core.clock.ready = true;
  parts_->core.clock.wake(now_s);
}

void Replica::set_not_ready() {
  parts_->core.clock.ready = false;
  parts_->core.first_uses.new_process();
}

void Replica::advance(double until_s, ReplicaListener& listener) {
  ReplicaCore& core = parts_->core;
  ReplicaClock& clock = core.clock;
  for (;;) {
    if (!clock.may_start && clock.ready) parts_->repeated.play(until_s, listener);
    const double end_s = core.lanes.next_end_s();
    const double next_s = std::min({end_s, core.book.next_give_up().at_s, core.pipeline.next_s()});
    if (clock.may_start && clock.ready && next_s > clock.now_s) {  // all that is due now is done
      if (clock.now_s >= until_s) return;
      start(listener);
      continue;
    }
    if (next_s > until_s || next_s == infinity) return;
    clock.reach(next_s);
    if (end_s == next_s) {
      parts_->results.end(core.lanes.next_to_end(), listener);
      clock.may_start = core.book.sums().work() > 0 || parts_->imports.expected() > 0;
    } else if (core.pipeline.next_s() == next_s) {
      parts_->ends.go_on(listener);
    } else {
      parts_->removals.give_up(core.book.next_give_up().slot, listener);
    }
  }
}

void Replica::start(ReplicaListener& listener) {
  ReplicaCore& core = parts_->core;
  if (!core.clock.may_start || !core.clock.ready) return;
  // A request given up before it came here is in no step, whether the replica is advanced to this instant or beyond.
  while (core.book.next_give_up().at_s <= core.clock.now_s)
    parts_->removals.give_up(core.book.next_give_up().slot, listener);
  core.clock.may_start = false;
  parts_->filler.start(listener);
}

std::vector<MovingSequence> Replica::stop(double now_s, ReplicaListener& listener) {
  ReplicaCore& core = parts_->core;
  core.clock.reach(now_s);
  std::vector<MovingSequence> hit;
  for (std::size_t i = 0; i < core.book.table().size(); ++i) {
    const Slot slot = static_cast<Slot>(i);
    if (core.book[slot].reported) continue;
    report_until(core, core.book[slot], now_s, listener);
    hit.push_back(stand_of(core, slot));
  }
  std::ranges::sort(hit, {}, [](const MovingSequence& m) { return m.request.id; });
  for (const Lane& lane : core.lanes)
    for (std::size_t i = 0; i < lane.batches.size(); ++i) parts_->results.cut(lane.batches[i], listener);
  core.blocks.account(core.clock.now_s);
  core.book.clear();
  core.lanes.stop();
  core.clock.ready = false;
  return hit;
}

void Replica::abandon(double now_s, ReplicaListener& listener) {
  ReplicaCore& core = parts_->core;
  core.pipeline.abandon();
  core.blocks.account(now_s);
  for (std::size_t i = 0; i < core.book.table().size(); ++i) {
    const Slot slot = static_cast<Slot>(i);
    Sequence& s = core.book[slot];
    if (s.reported) continue;
    report_until(core, s, now_s, listener);
    s.record.output_tokens = core.lanes.tokens_made(slot, now_s);
    listener.request_done(s.request, s.record);
  }
}

double Replica::next_due_s() const {
  const ReplicaCore& core = parts_->core;
  if (core.clock.may_start && core.clock.ready) return std::nextafter(core.clock.now_s, infinity);
  return std::min({core.lanes.next_end_s(), core.book.next_give_up().at_s, core.pipeline.next_s()});
}

double Replica::next_awaited_s() const {
  const ReplicaCore& core = parts_->core;
  const SequenceSums& sums = core.book.sums();
  if (moves_anything()) return next_due_s();
  if (sums.awaited == 0 && !parts_->imports.want_room()) return infinity;
  return std::min(next_finish_s(), core.book.next_give_up().at_s);
}

double Replica::next_change_s() const {
  if (moves_anything() || parts_->imports.expected() > 0) return next_due_s();
  return std::min(next_finish_s(), parts_->core.book.next_give_up().at_s);
}

// A fetch, a write, a load or a collective may start with any step; a running request has its adapter.
bool Replica::moves_anything() const {
  const ReplicaCore& core = parts_->core;
  const SequenceSums& sums = core.book.sums();
  if ((core.setup.tiers && core.links.port()) || core.pipeline.in_time() || core.pipeline.next_s() < infinity)
    return true;
  const bool may_load = core.adapters.slots() && core.links.port();
  return may_load && sums.work() + parts_->imports.expected() > sums.running;
}

// A lane that repeats pure decodes runs until its first sequence finishes or its blocks run short. Only the sums
// change, so that run can be played through without touching the books. Anything else: look after the next event.
double Replica::next_finish_s() const {
  const ReplicaCore& core = parts_->core;
  const Lane& lane = core.lanes[0];
  if (core.pipeline.experts() || core.setup.early_exits || core.lanes.all().size() > 1 || lane.batches.size() == 0 ||
      !lane.repeat || !lane.cancelled.empty() || core.clock.may_start || !lane.decodes.grows_steadily())
    return next_due_s();
  for (std::size_t i = 0; i < lane.batches.size(); ++i)
    if (!lane.batches[i].only_decodes_on()) return next_due_s();
  const FilledBatch& last = lane.batches[lane.batches.size() - 1];
  const std::int64_t steps = lane.decodes.steps_left();
  if (lane.decodes.most_blocks(steps) + lane.spare_blocks > core.cache().free_blocks()) return next_due_s();
  StepWork work = last.work;
  double at_s = last.end_s;
  for (std::int64_t step = 0; step < steps; ++step) {
    work.decode_kv_tokens += lane.decodes.growing();
    work.decode_chunk_tokens += lane.decodes.chunk_growth(step);
    at_s += core.pipeline.time(work, 0).seconds;
  }
  return at_s;
}

ReplicaView Replica::view() const {
  const ReplicaCore& core = parts_->core;
  const SequenceSums& sums = core.book.sums();
  return {.id = core.id(),
          .waiting_requests =
              sums.of(SequenceState::waiting) + sums.of(SequenceState::aside) + sums.of(SequenceState::swapped),
          .waiting_tokens = sums.uncomputed_tokens,
          .running_requests = sums.running + parts_->imports.expected(),
          .used_blocks = core.blocks.held(),
          .total_blocks = core.blocks.total()};
}

void Replica::connect(TransferPort& port) {
  parts_->core.links.connect(port);
  if (KvTiers* tiers = core().setup.tiers.get()) tiers->connect(port);
}

void Replica::replaces(const Replica& before) {
  OpenTransfers& links = parts_->core.links;
  links.replace(before.core().links);
  if (links.port()) connect(*links.port());
}

bool Replica::arrived(Token token, double now_s, ReplicaListener& listener) {
  parts_->core.clock.reach(now_s);
  return std::visit([&](const auto& purpose) { return parts_->ends.arrived(purpose, listener); },
                    parts_->core.links.take(token));
}

// Steps under way, too, are worked out in closed form only until others come, and again once all have left.
void Replica::set_contended(OwnTraffic traffic, bool contended, double now_s, ReplicaListener& listener) {
  ReplicaCore& core = parts_->core;
  const bool begins = core.links.set_contended(traffic, contended);
  if (!begins && core.pipeline.in_time()) return;
  core.clock.reach(now_s);
  if (begins)
    parts_->ends.contended(traffic, listener);
  else
    parts_->ends.go_on(listener);
}

}  // namespace servecast
