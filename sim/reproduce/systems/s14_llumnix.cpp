#include <algorithm>
#include <map>

#include "sim/input/library/library.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/report/csv/detail_csv.h"
#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s14_llumnix {
namespace {

constexpr std::int64_t block_tokens = 16;

/// Free memory of every replica, second by second.
struct FreeMemory final : DetailListener {
  bool wants_replicas() override { return true; }
  void replica(const ReplicaSample& s) override { free_fractions[s.time_s][s.replica] = 1 - s.kv_used_fraction; }
  std::map<double, std::map<ReplicaId, double>> free_fractions{};
};

/// Blocks that the request at the head of each queue wants, smallest first. Requests wait from their arrival until
/// they are first scheduled.
std::vector<double> heads(const Recorder& recorder, double at_s) {
  std::map<ReplicaId, const RequestRecord*> first;
  for (const RequestRecord& r : recorder.requests()) {
    if (r.arrival_s > at_s || r.scheduled_s.value_or(at_s) <= at_s) continue;
    const RequestRecord*& head = first[r.replica];
    if (head == nullptr || r.id < head->id) head = &r;
  }
  std::vector<double> blocks;
  for (const auto& [replica, r] : first)
    blocks.push_back(static_cast<double>((r->prompt_tokens + block_tokens - 1) / block_tokens));
  std::ranges::sort(blocks);
  return blocks;
}

/// As the paper measures it (section 6.3): the demand of as many heads of queues as all free memory together could
/// hold, as a share of all memory; averaged over the seconds while requests arrive.
double fragmentation(const Recorder& recorder, const FreeMemory& memory, double replica_blocks) {
  const double last_arrival_s =
      std::ranges::max_element(recorder.requests(), {}, &RequestRecord::arrival_s)->arrival_s;
  double sum = 0;
  double seconds = 0;
  for (const auto& [at_s, replicas] : memory.free_fractions) {
    if (at_s > last_arrival_s) break;
    double free = 0;
    for (const auto& [id, fraction] : replicas) free += fraction * replica_blocks;
    double wasted = 0;
    for (const double head : heads(recorder, at_s))
      if (wasted + head <= free) wasted += head;
    sum += wasted / (replica_blocks * static_cast<double>(replicas.size()));
    seconds += 1;
  }
  return sum / seconds;
}

/// P99 TTFT, P99 TPOT, fragmentation, preemptions, sequences moved, P99 of their pauses.
ProbePtr outcome(const std::string& router, const std::string& migration) {
  const PaperSetup setup{.scenario = "s14_llumnix",
                         .set = {{"pools[0].router.policy", router}, {"pools[0].migration.policy", migration}}};
  return own_probe(setup, [setup](const PublicTraces& traces) {
    const Scenario scenario =
        load_scenario((library_dir() / "papers" / (setup.scenario + ".yaml")).string(), setup.set);
    const auto cache = scenario.pools[0].spec.kv_cache.make();
    cache->resize(scenario.pools[0].memory.kv_pool_tokens);
    FreeMemory memory;
    const PaperRecords run = simulate_here(setup, traces, {.detail = &memory});
    const Summary& s = run.summary;
    const bool any = !s.migrations.empty();
    return std::vector<double>{s.latencies.ttft_s->p99,
                               s.latencies.tpot_s->p99,
                               fragmentation(run.recorder, memory, static_cast<double>(cache->total_blocks())),
                               static_cast<double>(s.pools[0].preemptions),
                               any ? static_cast<double>(s.migrations[0].moved) : 0,
                               any ? s.migrations[0].pause_s->p99 : 0};
  });
}

}  // namespace

PaperSystem all_figures() {
  const ProbePtr by_turns = outcome("round_robin", "none");
  const ProbePtr infaas = outcome("infaas", "none");
  const ProbePtr llumnix = outcome("llumnix", "llumnix");
  const FigureUnit sequences{.digits = 0, .unit = ""};
  return {
      .id = "S14",
      .title = "Llumnix",
      .source = "OSDI 2024: live migration against round robin and INFaaS++",
      .rows = {
          {.figure = "P99 TTFT, round robin over Llumnix",
           .unit = as_times(0),
           .published = at_most(15),
           .asked = at_least(3),
           .ours = Quantity(by_turns) / llumnix},
          {.figure = "P99 TTFT, INFaaS++ over Llumnix",
           .unit = as_times(0),
           .published = at_most(15),
           .asked = at_least(3),
           .ours = Quantity(infaas) / llumnix,
           .missed =
               "since launches outside CUDA graphs take time, all three queue at this rate, Llumnix for 42 s; it "
               "would take a lower one to set them apart"},
          {.figure = "P99 TTFT, round robin", .unit = as_seconds(0), .ours = by_turns},
          {.figure = "P99 TTFT, INFaaS++", .unit = as_seconds(0), .ours = infaas},
          {.figure = "P99 TTFT, Llumnix", .unit = as_seconds(1), .ours = llumnix},
          {.figure = "fragmentation, INFaaS++",
           .unit = as_percent(1),
           .published = exactly(0.079),
           .ours = Quantity(infaas, 2)},
          {.figure = "fragmentation, Llumnix",
           .unit = as_percent(2),
           .published = exactly(0.007),
           .ours = Quantity(llumnix, 2)},
          {.figure = "fragmentation, INFaaS++ over Llumnix",
           .unit = as_times(1),
           .published = exactly(11.3),
           .asked = at_least(3),
           .ours = Quantity(infaas, 2) / Quantity(llumnix, 2)},
          {.figure = "preemptions, INFaaS++", .unit = sequences, .ours = Quantity(infaas, 3)},
          {.figure = "preemptions, Llumnix", .unit = sequences, .ours = Quantity(llumnix, 3)},
          {.figure = "preemptions, fewer than INFaaS++ by",
           .unit = as_percent(),
           .published = exactly(0.7),
           .asked = at_least(0),
           .ours = 1 - Quantity(llumnix, 3) / Quantity(infaas, 3)},
          {.figure = "P99 TPOT, round robin over Llumnix",
           .unit = as_times(),
           .asked = at_least(1),
           .ours = Quantity(by_turns, 1) / Quantity(llumnix, 1)},
          {.figure = "sequences moved", .unit = sequences, .asked = at_least(1), .ours = Quantity(llumnix, 4)},
          {.figure = "P99 of their pauses", .unit = as_ms(), .asked = at_most(0.1), .ours = Quantity(llumnix, 5)}}};
}

}  // namespace servecast::s14_llumnix
