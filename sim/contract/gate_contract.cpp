// What every admission rule, placement, migration and autoscaler keeps.
#include <algorithm>

#include "models/policy/admission.h"
#include "models/policy/autoscaler.h"
#include "models/policy/migration.h"
#include "models/policy/placement.h"
#include "sim/contract/checks.h"
#include "sim/contract/contract.h"
#include "sim/contract/made_up_pool.h"

namespace servecast {
namespace {

MadeUpPool busy_pool() {
  return MadeUpPool(
      {{.id = ReplicaId{3}, .total_blocks = 100},
       {.id = ReplicaId{5}, .waiting_requests = 2, .waiting_tokens = 900, .used_blocks = 40, .total_blocks = 100},
       {.id = ReplicaId{8}, .running_requests = 9, .used_blocks = 70, .total_blocks = 100}});
}

std::vector<bool> decisions_of(const Subject& subject) {
  const MadeUpPool pool = busy_pool();
  const auto gate = subject.make<Admission>();
  std::vector<bool> out{gate->admits({.prompt_tokens = 10}, idle_pool(3).seen())};
  for (std::uint32_t i = 0; i < 50; ++i)
    out.push_back(gate->admits({.id = RequestId{i}, .arrival_s = 0.3 * i, .prompt_tokens = 10}, pool.seen()));
  return out;
}

std::vector<ReplicaView> some_load(Rng& rng) {
  std::vector<ReplicaView> views(rng.below(6));
  for (ReplicaView& view : views)
    view = {.waiting_requests = static_cast<std::int64_t>(rng.below(20)),
            .waiting_tokens = static_cast<std::int64_t>(rng.below(900)),
            .running_requests = static_cast<std::int64_t>(rng.below(30)),
            .used_blocks = static_cast<std::int64_t>(rng.below(101)),
            .total_blocks = 100};
  return views;
}

struct FixedCapacity final : ReplicaCapacity {
  double requests_per_s(double prompt_tokens, double output_tokens) const override {
    return 1000 / (prompt_tokens + output_tokens);
  }
};

}  // namespace

void admission_takes_on_who_comes_first(const Subject& subject, Findings& found) {
  const std::vector<bool> first = decisions_of(subject);
  found.expect(first.front(), "takes on the first request of an idle pool");
  found.expect(first == decisions_of(subject), "decides the same for the same requests and views");
}

void admission_looks_only_if_it_says_so(const Subject& subject, Findings& found) {
  const auto gate = subject.make<Admission>();
  if (gate->reads_state()) return;
  const auto twin = subject.make<Admission>();
  const MadeUpPool busy = busy_pool();
  const MadeUpPool blank = idle_pool(3);
  for (std::uint32_t i = 0; i < 50; ++i) {
    const Request request{.id = RequestId{i}, .arrival_s = 0.3 * i, .prompt_tokens = 10};
    found.expect(gate->admits(request, busy.seen()) == twin->admits(request, blank.seen()),
                 "does not look at the views' numbers where reads_state() is false");
  }
}

void placement_repeats(const Subject& subject, Findings& found) {
  const auto one = subject.make<Placement>();
  const auto other = subject.make<Placement>();
  for (std::uint32_t i = 0; i < 50; ++i) {
    const Request request{.id = RequestId{i}, .prompt_tokens = 1 + i * 97, .output_tokens = 2};
    found.expect(one->move(request) == other->move(request), "moves the same requests");
  }
  const double blocks = one->waiting_blocks_fraction();
  found.expect(blocks >= 0 && blocks <= 1, "waiting_blocks_fraction() is a share");
  found.expect(one->setup_s() >= 0, "setup_s() is no less than 0");
}

void migration_pairs_what_it_was_shown(const Subject& subject, Findings& found) {
  const auto one = subject.make<Migration>();
  const auto other = subject.make<Migration>();
  Rng rng(1, "views");
  for (int i = 0; i < 200; ++i) {
    const std::vector<ReplicaView> views = some_load(rng);
    const auto pairs = one->pairs(views, 16);
    found.expect(pairs == other->pairs(views, 16), "pairs the same for the same views");
    std::vector<std::size_t> who;
    for (const MigrationPair& pair : pairs) who.insert(who.end(), {pair.from, pair.to});
    std::ranges::sort(who);
    found.expect(std::ranges::adjacent_find(who) == who.end(), "a replica is in one pair at most");
    found.expect(who.empty() || who.back() < views.size(), "pairs replicas that it was shown");
  }
  found.expect(one->check_every_s() > 0, "check_every_s() is above 0");
  found.expect(one->last_stage_blocks() >= 1, "last_stage_blocks() is at least 1");
}

void autoscaler_repeats_and_looks_later(const Subject& subject, Findings& found) {
  const FixedCapacity capacity;
  const auto one = subject.make<Autoscaler>();
  const auto other = subject.make<Autoscaler>();
  found.expect(!one->problem(), "has no problem with its settings");
  Rng rng(1, "loads");
  double now_s = 0;
  for (int i = 0; i < 300 && now_s < std::numeric_limits<double>::infinity(); ++i) {
    const std::vector<ReplicaView> views = some_load(rng);
    const auto arrived = static_cast<std::int64_t>(rng.below(500));
    const PoolLoad load{.now_s = now_s,
                        .since_s = now_s - 1,
                        .serving = views,
                        .coming = static_cast<std::int64_t>(rng.below(3)),
                        .arrived = arrived,
                        .prompt_tokens = 300 * arrived,
                        .finished = arrived / 2,
                        .output_tokens = 50 * arrived,
                        .missed_slo = arrived / 7,
                        .slo_target_fraction = 0.9,
                        .capacity = &capacity};
    const std::int64_t wanted = one->wanted(load);
    found.expect(wanted == other->wanted(load), "wants the same for the same load");
    found.expect(wanted >= -1, "wants no fewer than -1 replicas");
    if (!found.expect(one->next_evaluation_s(now_s) > now_s, "next_evaluation_s() is later than now")) return;
    now_s = one->next_evaluation_s(now_s);
  }
}

}  // namespace servecast
