// What every router keeps.
#include <algorithm>
#include <numeric>

#include "models/policy/router.h"
#include "sim/contract/checks.h"
#include "sim/contract/contract.h"
#include "sim/contract/made_up_pool.h"

namespace servecast {
namespace {

constexpr const char* shown_one = "picks one of the replicas that it was shown";

std::vector<ReplicaView> three_views() {
  return {{.id = ReplicaId{3}, .total_blocks = 100},
          {.id = ReplicaId{5}, .waiting_requests = 2, .waiting_tokens = 900, .used_blocks = 40, .total_blocks = 100},
          {.id = ReplicaId{8}, .running_requests = 9, .used_blocks = 70, .total_blocks = 100}};
}

bool shows(const std::vector<ReplicaView>& views, ReplicaId id) {
  return std::ranges::find(views, id, &ReplicaView::id) != views.end();
}

using Picks = std::vector<std::optional<Route>>;

/// Of replicas whose caches hold so many tokens: the last one more than the first.
Picks picks_of(const Subject& subject, const std::vector<ReplicaView>& views, std::int64_t cached_tokens = 0) {
  MadeUpPool pool(views);
  for (std::size_t i = 0; i < views.size(); ++i) pool.cached[i] = cached_tokens * static_cast<std::int64_t>(i);
  const auto router = subject.make<Router>();
  Rng rng(1, "router");
  Picks picks;
  for (std::uint32_t i = 0; i < 50; ++i)
    picks.push_back(router->pick({.id = RequestId{i}, .prompt_tokens = 1 + i * 37 % 400}, pool.seen(), rng));
  return picks;
}

/// Some of ten replicas serve, at each time others.
std::vector<ReplicaView> serving(std::uint32_t i, Rng& rng) {
  std::vector<ReplicaView> views;
  for (std::uint32_t id = 0; id < 10; ++id)
    if (Rng(i / 7, "serves" + std::to_string(id)).uniform() < 0.4)
      views.push_back(
          {.id = ReplicaId{id}, .running_requests = static_cast<std::int64_t>(rng.below(9)), .total_blocks = 100});
  return views;
}

/// Changes some views; gives their positions.
std::vector<std::uint32_t> change_some(std::vector<ReplicaView>& views, Rng& rng) {
  std::vector<std::uint32_t> changed;
  for (std::uint64_t n = rng.below(4); n > 0; --n) {
    const auto i = static_cast<std::uint32_t>(rng.below(views.size()));
    views[i].waiting_requests = static_cast<std::int64_t>(rng.below(5));
    views[i].waiting_tokens = 100 * views[i].waiting_requests;
    views[i].running_requests = static_cast<std::int64_t>(rng.below(5));
    views[i].used_blocks = static_cast<std::int64_t>(rng.below(100));
    changed.push_back(i);
  }
  return changed;
}

}  // namespace

// Requests share beginnings and belong to sessions.
void router_picks_one_that_serves(const Subject& subject, Findings& found) {
  const auto router = subject.make<Router>();
  found.expect(!router->problem(), "has no problem with its settings");
  Rng rng(1, "membership");
  Rng own(1, "router");
  std::vector<BlockHash> blocks(8);
  for (std::uint32_t i = 0; i < 400; ++i) {
    const std::vector<ReplicaView> views = serving(i, rng);
    if (views.empty()) continue;
    std::iota(blocks.begin(), blocks.end(), rng.below(5) * 100);
    const Request request{.id = RequestId{i},
                          .arrival_s = i * 1.0,
                          .prompt_tokens = 128,
                          .output_tokens = 2,
                          .session = SessionId{1 + static_cast<std::uint32_t>(rng.below(20))},
                          .block_tokens = 16,
                          .prefix_blocks = blocks};
    const MadeUpPool pool(views);
    const auto picked = router->pick(request, {pool.views, {}, pool, nullptr, i / 7}, own);
    found.expect(picked || !router->only_picks(), "turns requests away only if only_picks() is false");
    if (!picked) continue;
    found.expect(shows(views, picked->replica), "picks one of the replicas that serve, whichever came and went");
    found.expect(picked->copy_tokens == 0 || shows(views, picked->copy_from),
                 "has prefixes copied from one that serves");
    found.expect(picked->copy_tokens == 0 || !router->only_picks(),
                 "has prefixes copied only if only_picks() is false");
  }
}

void router_repeats(const Subject& subject, Findings& found) {
  const Picks first = picks_of(subject, three_views());
  for (const auto& route : first) found.expect(!route || shows(three_views(), route->replica), shown_one);
  found.expect(first == picks_of(subject, three_views()), "picks the same for the same requests and views");
}

void router_serves_a_pool_of_one(const Subject& subject, Findings& found) {
  const MadeUpPool pool({{.id = ReplicaId{4}, .total_blocks = 10}});
  Rng rng(1, "router");
  const auto route = subject.make<Router>()->pick({.prompt_tokens = 1}, pool.seen(), rng);
  found.expect(route && route->replica == ReplicaId{4}, "serves a pool of one idle replica");
}

void router_looks_only_if_it_says_so(const Subject& subject, Findings& found) {
  if (subject.make<Router>()->reads_state()) return;
  const std::vector<ReplicaView> blank = {{.id = ReplicaId{3}}, {.id = ReplicaId{5}}, {.id = ReplicaId{8}}};
  found.expect(picks_of(subject, three_views()) == picks_of(subject, blank),
               "does not look at the views' numbers where reads_state() is false");
}

void router_reads_kv_only_if_it_says_so(const Subject& subject, Findings& found) {
  if (subject.make<Router>()->reads_kv()) return;
  std::vector<ReplicaView> others = three_views();
  for (ReplicaView& view : others) view.used_blocks = 100 - view.used_blocks;
  found.expect(picks_of(subject, three_views(), 0) == picks_of(subject, others, 300),
               "looks neither at blocks nor at what caches hold where reads_kv() is false");
}

// Whatever a router remembers: given what changed, it decides as its twin for which everything may have.
void router_needs_only_what_changed(const Subject& subject, Findings& found) {
  const auto router = subject.make<Router>();
  const auto twin = subject.make<Router>();
  MadeUpPool pool = idle_pool(37);
  Rng changes(4, "changes");
  std::vector<std::uint32_t> everything(pool.views.size());
  std::iota(everything.begin(), everything.end(), 0U);
  std::vector<std::uint32_t> changed;
  for (std::uint32_t round = 0; round < 500; ++round) {
    const Request request{.id = RequestId{round}, .prompt_tokens = 10};
    Rng rng(round, "router");
    Rng same(round, "router");
    if (!found.expect(
            router->pick(request, pool.seen(changed), rng) == twin->pick(request, pool.seen(everything), same),
            "decides the same, given what changed, as when everything may have"))
      return;
    changed = change_some(pool.views, changes);
  }
}

}  // namespace servecast
