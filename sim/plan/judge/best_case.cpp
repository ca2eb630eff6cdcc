#include "sim/plan/judge/best_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "models/base/counts.h"
#include "models/base/quantile.h"
#include "models/hw/roofline/bound.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/plan/judge/workload_facts.h"
#include "sim/plan/study/objective.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();

/// Where the requests of one pool are served: the pool itself, and the one that decodes for it.
struct Serving {
  const Pool* prompts = nullptr;
  const Pool* decodes = nullptr;
  std::size_t index = 0;
  BoundModel model{};
  std::int64_t max_sequences = 1;

  double flop_per_s(bool decoding) const {
    double sum = of(*prompts);
    if (decoding && decodes != prompts) sum += of(*decodes);
    return sum;
  }
  double bytes_per_s() const {
    double sum = real(prompts->gpus()) * prompts->gpu.hbm_bytes_per_s;
    if (decodes != prompts) sum += real(decodes->gpus()) * decodes->gpu.hbm_bytes_per_s;
    return sum;
  }
  static double of(const Pool& pool) { return real(pool.gpus()) * peak_flop_per_s(pool.gpu, pool.weights()); }
  /// A mark of all that the least arithmetic depends on. Memory traffic depends on `max_sequences`, too.
  std::string key() const {
    return fmt::format("{}/{}/{}/{}", prompts->spec.llm, weights_name(prompts->weights()),
                       prompts->spec.kv_cache_dtype, index);
  }
};

Serving serving(const SizedScenario& sized, std::size_t i) {
  const Pool& pool = sized.pools[i];
  Serving place{.prompts = &pool, .decodes = &pool, .index = i};
  const std::string decoding = pool.spec.placement.make()->decode_pool();
  for (const Pool& other : sized.pools)
    if (!decoding.empty() && other.spec.name == decoding) place.decodes = &other;
  place.model = bound_model(pool.llm, pool.weights(), *data_type(pool.spec.kv_cache_dtype));
  for (const Pool* p : {place.prompts, place.decodes})
    place.max_sequences = std::max(place.max_sequences, p->spec.batcher.make()->max_sequences());
  const bool forgets = pool.spec.kv_cache.make()->attended_tokens() < std::numeric_limits<std::int64_t>::max();
  if (forgets) place.model.attention_flop_per_pair = place.model.kv_bytes_per_token = 0;
  return place;
}

/// The least that one request takes on this place with no other there.
struct Alone {
  double ttft_s = 0;
  double token_s = 0;
  double e2e_s = 0;
};

class Idle {
 public:
  explicit Idle(const Serving& place)
      : place_(place),
        flop_per_s_(real(place.prompts->gpus_per_replica()) *
                    peak_flop_per_s(place.prompts->gpu, place.prompts->weights())),
        shapes_{place.prompts->shape(), place.decodes->shape()} {}

  Alone least(const BoundRequest& request) const {
    Alone least{.ttft_s = least_work(place_.model, request, place_.max_sequences).prompt_flop / flop_per_s_};
    const std::int64_t prompt = request.computed_tokens + request.found_tokens;
    least.token_s = std::min(least_token_s(place_.model, place_.prompts->gpu, shapes_[0], prompt),
                             least_token_s(place_.model, place_.decodes->gpu, shapes_[1], prompt));
    const std::int64_t more = std::max<std::int64_t>(0, request.output_tokens - 1);
    least.e2e_s = least.ttft_s + real(more) * least.token_s;
    return least;
  }

 private:
  const Serving& place_;
  double flop_per_s_;
  std::array<Shape, 2> shapes_;
};

/// Bounds that one request has to keep, taken from a promise or from the slo.
struct Limits {
  double ttft_s = no_bound;
  double tpot_s = no_bound;
  double e2e_s = no_bound;
  double share = 1;  // of requests that shall keep them
  std::string name{};
  std::string request_class{};

  double due_s(const ExpectedRequest& r) const {
    const double by_tokens = ttft_s + tpot_s * real(std::max<std::int64_t>(0, r.work.output_tokens - 1));
    return r.arrival_s + std::min(e2e_s, r.work.output_tokens > 1 ? by_tokens : ttft_s);
  }
};

/// What every request of the class keeps that keeps its promise; of all classes, where none is named.
SloBoundsSpec loosest_of(const SloSpec& slo, const std::string& request_class) {
  SloBoundsSpec loosest = slo;
  for (const ClassSloSpec& own : slo.classes) {
    if (own.request_class == request_class) return own;
    if (!request_class.empty()) continue;
    for (const auto bound : {&SloBoundsSpec::ttft_s, &SloBoundsSpec::tpot_s, &SloBoundsSpec::e2e_s})
      loosest.*bound =
          loosest.*bound && own.*bound ? std::optional(std::max(*(loosest.*bound), *(own.*bound))) : std::nullopt;
  }
  return loosest;
}

Limits limits_of(const Promise& promise, const SloSpec& slo) {
  Limits limits{.name = promise.words(), .request_class = promise.request_class};
  if (promise.is_share()) {
    const SloBoundsSpec loosest = loosest_of(slo, promise.request_class);
    limits.ttft_s = loosest.ttft_s.value_or(no_bound);
    limits.tpot_s = loosest.tpot_s.value_or(no_bound);
    limits.e2e_s = loosest.e2e_s.value_or(no_bound);
    limits.share = promise.bound;
    return limits;
  }
  limits.share = real(promise.percentile) / 100;
  (promise.metric == "ttft_s"   ? limits.ttft_s
   : promise.metric == "tpot_s" ? limits.tpot_s
                                : limits.e2e_s) = promise.bound;
  return limits;
}

/// Promises on TTFT and on TPOT together: a request that keeps both has its last token by a time.
std::vector<Limits> all_limits(const std::vector<Promise>& promises, const SloSpec& slo) {
  std::vector<Limits> all;
  for (const Promise& promise : promises) all.push_back(limits_of(promise, slo));
  const std::size_t single = all.size();
  for (std::size_t a = 0; a < single; ++a)
    for (std::size_t b = 0; b < single; ++b) {
      if (promises[a].metric != "ttft_s" || promises[b].metric != "tpot_s" ||
          all[a].request_class != all[b].request_class)
        continue;
      Limits both = all[a];
      both.tpot_s = all[b].tpot_s;
      both.share = std::max(0.0, all[a].share + all[b].share - 1);
      both.name = all[a].name + " and " + all[b].name;
      all.push_back(both);
    }
  return all;
}

/// The requests that limits are about, of one place.
std::vector<const ExpectedRequest*> chosen(const WorkloadFacts& facts, const Limits& limits, std::size_t pool) {
  std::vector<const ExpectedRequest*> some;
  for (const ExpectedRequest& r : facts.requests)
    if (r.pool == pool &&
        (limits.request_class.empty() || facts.classes[index(r.request_class)] == limits.request_class))
      some.push_back(&r);
  return some;
}

std::int64_t may_be_late(const WorkloadFacts& facts, const Limits& limits) {
  std::int64_t count = facts.count();
  if (!limits.request_class.empty())
    count = std::ranges::count_if(facts.requests, [&](const ExpectedRequest& r) {
      return facts.classes[index(r.request_class)] == limits.request_class;
    });
  if (count == 0) return 0;
  return limits.share <= 0 ? count : count - nearest_rank(std::min(1.0, limits.share), count);
}

/// How far the request that may just not be late is above its bounds, alone on an idle machine.
double alone_overload(const Serving& place, const std::vector<const ExpectedRequest*>& requests, const Limits& limits,
                      std::int64_t late) {
  std::vector<double> ratios;
  const Idle idle(place);
  for (const ExpectedRequest* r : requests) {
    const Alone least = idle.least(r->work);
    const double token_s = r->work.output_tokens > 1 ? least.token_s : 0;
    ratios.push_back(std::max({least.ttft_s / limits.ttft_s, token_s / limits.tpot_s, least.e2e_s / limits.e2e_s}));
  }
  if (static_cast<std::int64_t>(ratios.size()) <= late) return 0;
  std::ranges::nth_element(ratios, ratios.begin() + late, std::greater<>());
  return ratios[static_cast<std::size_t>(late)];
}

using Work = std::function<double(const LeastWork&)>;

double rate(const Serving& place, const std::vector<const ExpectedRequest*>& requests, const Limits& limits,
            std::int64_t late, const Work& of) {
  std::vector<DueWork> due;
  for (const ExpectedRequest* r : requests)
    due.push_back({r->arrival_s, limits.due_s(*r), of(least_work(place.model, r->work, place.max_sequences))});
  return least_rate(due, late);
}

/// One kind of work, and what does it.
struct Demand {
  std::string_view name;
  bool decoding;
  bool memory;
  double (*amount)(const LeastWork&);
};
constexpr Demand demands[]{{"arithmetic", true, false, [](const LeastWork& w) { return w.flop(); }},
                           {"memory traffic", true, true, [](const LeastWork& w) { return w.decode_bytes; }}};
constexpr Demand prompts{"arithmetic of prompts", false, false, [](const LeastWork& w) { return w.prompt_flop; }};

/// All of a pool that a request alone on it depends on. Designs may change the figures of a GPU, so its name is not
/// enough.
std::string device_key(const Pool& pool) {
  return fmt::format("{} {} {} {}", peak_flop_per_s(pool.gpu, pool.weights()), pool.gpu.hbm_bytes_per_s,
                     pool.spec.tensor_parallel, pool.spec.pipeline_parallel);
}

/// One set of limits on one place.
class Judge {
 public:
  Judge(const Serving& place, const Limits& limits, const WorkloadFacts& facts, std::map<std::string, double>& known)
      : place_(place), limits_(limits), facts_(facts), known_(known) {
    key_ = fmt::format("{} {} {} {} {} {} ", static_cast<const void*>(&facts), place.key(), limits.name,
                       limits.ttft_s, limits.tpot_s, limits.e2e_s);
  }

  /// The worst value, where that is worse than `worst`.
  BestCase worse(BestCase worst) {
    consider(alone_on_it(), "what an idle machine can do at best", worst);
    const bool first_token_only = limits_.tpot_s == no_bound && limits_.e2e_s == no_bound;
    if (first_token_only) hold(prompts, worst);
    if (!first_token_only && (limits_.ttft_s < no_bound || limits_.e2e_s < no_bound))
      for (const Demand& demand : demands) hold(demand, worst);
    return worst;
  }

 private:
  void consider(double overload, std::string_view of, BestCase& worst) const {
    if (overload <= worst.overload) return;
    worst = {
        .overload = overload, .promise = limits_.name, .asks = fmt::format("asks for {:.3g} times {}", overload, of)};
  }

  void hold(const Demand& demand, BestCase& worst) {
    std::string what(demand.name);
    if (demand.memory) what += fmt::format(" of {}", place_.max_sequences);
    const double needed = once(what, [&] { return rate(place_, some(), limits_, late(), demand.amount); });
    const double there = demand.memory ? place_.bytes_per_s() : place_.flop_per_s(demand.decoding);
    consider(needed / there, fmt::format("the {} that its GPUs can do at best", demand.name), worst);
  }

  double alone_on_it() {
    return once(fmt::format("alone {} {}", device_key(*place_.prompts), device_key(*place_.decodes)),
                [&] { return alone_overload(place_, some(), limits_, late()); });
  }

  template <class Compute>
  double once(const std::string& what, Compute compute) {
    const std::string key = key_ + what;
    const auto found = known_.find(key);
    return found != known_.end() ? found->second : known_.emplace(key, compute()).first->second;
  }

  std::vector<const ExpectedRequest*> some() const { return chosen(facts_, limits_, place_.index); }
  std::int64_t late() const { return may_be_late(facts_, limits_); }

  const Serving& place_;
  const Limits& limits_;
  const WorkloadFacts& facts_;
  std::map<std::string, double>& known_;
  std::string key_;
};

/// Where a step makes several tokens, leaves out layers or experts, has a processor beside the GPUs, or takes its
/// time from the user's tables.
bool beats_data_sheets(const Pool& pool) {
  const PoolSpec& spec = pool.spec;
  return spec.latency.model == "table" || spec.speculative.policy() != "none" || spec.early_exit.policy() != "none" ||
         spec.host_layers.layers > 0 || spec.expert_offload;
}

/// Where a gateway may answer requests itself, shorten them or send them elsewhere.
bool comes_as_it_is(const SizedScenario& sized) { return sized.spec.gateway.empty(); }

}  // namespace

BestCase BestCases::of(const SizedScenario& sized, const std::vector<Promise>& promises, const WorkloadFacts& facts) {
  BestCase worst;
  if (!facts.open_loop || !comes_as_it_is(sized) || std::ranges::any_of(sized.pools, beats_data_sheets)) return worst;
  std::vector<Promise> of_requests = promises;
  std::erase_if(of_requests, [](const Promise& p) { return p.is_figure(); });  // no data sheet bounds these
  const std::vector<Limits> all = all_limits(of_requests, sized.spec.slo);
  for (std::size_t i = 0; i < sized.pools.size(); ++i) {
    const Serving place = serving(sized, i);
    for (const Limits& limits : all) worst = Judge(place, limits, facts, rates_).worse(std::move(worst));
  }
  return worst;
}

}  // namespace servecast
