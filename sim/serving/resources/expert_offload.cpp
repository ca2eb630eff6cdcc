#include "sim/serving/resources/expert_offload.h"

#include <algorithm>
#include <cassert>

namespace servecast {
namespace {

/// Of a longer run, so many tokens spread over it are asked about; each stands for as many as it takes. With that
/// many nearly every expert is touched, so more of them would change little.
constexpr std::int64_t most_asked_per_run = 128;

}  // namespace

ExpertOffload::ExpertOffload(ExpertOffloadSetup setup)
    : setup_(std::move(setup)),
      active_(static_cast<std::size_t>(setup_.shape.active)),
      each_(static_cast<std::size_t>(setup_.shape.experts)),
      all_(setup_.experts.all()),
      before_(static_cast<std::size_t>(setup_.shape.layers),
              std::vector<std::vector<ExpertId>>(setup_.models.size())) {
  if (setup_.stage_layers.empty()) setup_.stage_layers = {{.first = 0, .last = setup_.shape.layers}};
  for (const LayerRange& layers : setup_.stage_layers)
    stages_.push_back({.layers = layers,
                       .links = std::vector(setup_.groups, OwnLinks(setup_.links)),
                       .streams_used = std::vector<std::int64_t>(setup_.groups)});
  for (std::size_t layer = 0; layer < before_.size(); ++layer) fill_slots(layer);
  if (setup_.host_experts < setup_.shape.layers * static_cast<std::int64_t>(all_)) {
    host_.emplace(setup_.host_experts, *setup_.cache, setup_.long_run_uses);
    host_->fill();
  }
  for (const ExpertModel& model : setup_.models) model.prefetch->resize(setup_.shape);
  totals_.gates.resize(static_cast<std::size_t>(setup_.shape.layers));
  totals_.models.resize(setup_.models.size());
}

/// Each group has slots for the experts that are its own.
void ExpertOffload::fill_slots(std::size_t layer) {
  std::vector<std::vector<std::uint64_t>> uses(setup_.groups);
  for (std::size_t e = 0; e < all_; ++e) {
    std::vector<std::uint64_t>& of_group = uses[group_of(layer, ExpertId{static_cast<std::uint16_t>(e)})];
    entries_.push_back(CacheEntry{static_cast<std::uint32_t>(of_group.size())});
    of_group.push_back(setup_.long_run_uses[layer * all_ + e]);
  }
  for (std::vector<std::uint64_t>& of_group : uses) {
    slots_.emplace_back(setup_.slots / static_cast<std::int64_t>(setup_.groups), *setup_.cache, std::move(of_group));
    slots_.back().fill();
  }
}

void ExpertOffload::route(std::span<const TokenRun> runs) {
  choices_.clear();
  stand_for_.clear();
  model_of_.clear();
  depth_of_.clear();
  tokens_ = 0;
  for (const TokenRun& run : runs) {
    const std::int64_t asked = std::min(run.tokens, most_asked_per_run);
    const std::int64_t depth =
        run.layers == 0 ? setup_.shape.layers : setup_.times.llm.expert_layers_before(run.layers);
    depth_of_.insert(depth_of_.end(), static_cast<std::size_t>(asked), static_cast<std::size_t>(depth));
    for (std::int64_t i = 0; i < asked; ++i)
      route_token({.request = run.request, .position = run.first + i * run.tokens / asked}, run,
                  static_cast<double>(run.tokens) / static_cast<double>(asked));
  }
  layers_.assign(static_cast<std::size_t>(setup_.shape.layers), {});
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    layers_[layer].visits.assign(all_, 0);
    layers_[layer].asked_by.resize(setup_.models.size());
    asked_before_.assign(setup_.models.size() * each_, false);
    for (std::size_t token = 0; token < stand_for_.size(); ++token)
      if (reaches(token, layer)) ask(layers_[layer], layer, token);
  }
}

void ExpertOffload::ask(Layer& layer, std::size_t number, std::size_t token) {
  const std::size_t model = model_of_[token];
  layer.tokens += stand_for_[token];
  for (std::size_t rank = 0; rank < active_; ++rank) {
    const ExpertId expert = choices_[(token * layers_.size() + number) * active_ + rank].expert;
    if (!asked_before_[model * each_ + index(expert)]) layer.asked_by[model].push_back(expert);
    asked_before_[model * each_ + index(expert)] = true;
    const ExpertId across = setup_.experts.of(model, number, expert);
    double& visits = layer.visits[index(across)];
    if (visits == 0) layer.asked.push_back(across);
    visits += stand_for_[token];
  }
}

void ExpertOffload::route_token(const RoutedToken& token, const TokenRun& run, double stands_for) {
  const std::size_t size = static_cast<std::size_t>(setup_.shape.layers) * active_;
  choices_.resize(choices_.size() + size);
  setup_.models[run.model].routing->route(token, setup_.rng, std::span(choices_).last(size));
  stand_for_.push_back(stands_for);
  model_of_.push_back(run.model);
  tokens_ += stands_for;
}

ExpertStep ExpertOffload::plan(std::span<const StageTime> full, std::span<const TokenRun> runs) {
  ++steps_;
  route(runs);
  work_.assign(layers_.size(), {.groups = std::vector<ExpertGroupWork>(setup_.groups)});
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    coming_.clear();
    if (!on(stage)) continue;
    ExpertForecast forecast(setup_.links, setup_.groups);
    const double layers_run = this->layers_run(stage);
    for (std::int64_t i = stages_[stage].layers.first; i < stages_[stage].layers.last; ++i) {
      const auto layer = static_cast<std::size_t>(i);
      work_[layer].before_s = other_s(stage, layer, layers_run, full[stage]);
      plan_layer(stage, layer, forecast);
    }
    settle_late(forecast);
  }
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) before_[layer] = layers_[layer].asked_by;
  return {.number = steps_, .work = std::move(work_), .stages = std::vector<ExpertStep::Stage>(stages_.size())};
}

/// Of a stage, each weighted with the share of the step's tokens that run it.
double ExpertOffload::layers_run(std::size_t stage) const {
  double sum = 0;
  for (std::int64_t i = stages_[stage].layers.first; i < stages_[stage].layers.last; ++i)
    sum += layers_[static_cast<std::size_t>(i)].tokens / tokens_;
  return sum;
}

/// What a layer takes beside its experts. A stage's time is divided between its layers by the tokens that run them,
/// evenly where none do; of each, the experts' part as the model of it has it, with as many experts as even routing
/// would touch, a group's share of all.
double ExpertOffload::other_s(std::size_t stage, std::size_t layer, double layers_run, const StageTime& full) const {
  const Experts& experts = *setup_.times.llm.experts;
  const auto groups = static_cast<double>(setup_.groups);
  const double tokens = layers_[layer].tokens;
  const double share =
      layers_run > 0 ? tokens / tokens_ / layers_run : 1 / static_cast<double>(stages_[stage].layers.size());
  const double touched = touched_experts(experts, static_cast<std::int64_t>(tokens));
  const double experts_s = setup_.times.gpu_s(tokens * static_cast<double>(active_) / groups, touched / groups);
  return std::max(0.0, full.seconds * share - experts_s);
}

void ExpertOffload::plan_layer(std::size_t stage, std::size_t layer, ExpertForecast& forecast) {
  ExpertLayerWork& work = work_[layer];
  forecast.to_gate(work.before_s);
  if (setup_.drop_late_guesses) drop_wrong_guesses(layer, forecast);
  const Demand demand = demand_of(layer, serve(layer, forecast));
  time_layer(layer, demand, right_guesses(stage, layer, demand));
  for (const ExpertId expert : demand.loaded) work.loads.push_back(load(stage, layer, expert, true));
  settle_cache(layer, demand, forecast);
  coming_.clear();
  if (static_cast<std::int64_t>(layer) + 1 < stages_[stage].layers.last) predict(stage, layer + 1, work);
  forecast.compute(work, layer, demand.visits);
}

void ExpertOffload::time_layer(std::size_t layer, const Demand& demand, const std::vector<std::int64_t>& guessed) {
  ExpertLayerWork& work = work_[layer];
  for (std::size_t group = 0; group < setup_.groups; ++group) {
    ExpertGroupWork& part = work.groups[group];
    const std::int64_t loaded = in_group(layer, demand.loaded, group);
    part.expected = guessed[group] + loaded;
    const auto all = static_cast<double>(in_group(layer, demand.used, group) + loaded);
    part.each_s = all > 0 ? setup_.times.gpu_s(demand.gpu_visits[group], all) / all : 0;
    part.resident_s = part.each_s * (all - static_cast<double>(part.expected));
  }
  for (const double tokens : demand.host_tokens)
    if (tokens > 0) work.host_s += std::max(setup_.times.host_expert_s, tokens * setup_.times.host_token_s);
}

/// Which experts have a place in the GPUs' memory from now on. A guess that no token waits for and whose copy has not
/// begun has none yet.
void ExpertOffload::settle_cache(std::size_t layer, const Demand& demand, ExpertForecast& forecast) {
  for (const ExpertId expert : coming_) {
    if (demand.visits[index(expert)] > 0 || guess(layer, expert).dropped) continue;
    if (!forecast.waits(layer, expert))
      use(layer, expert);
    else if (setup_.drop_late_guesses && may_drop(layer, expert, forecast))
      drop(layer, expert, forecast);
    else
      late_.emplace_back(layer, expert);
  }
  for (const ExpertId expert : demand.used) use(layer, expert);
  for (const ExpertId expert : demand.loaded) use(layer, expert);
}

/// When the step has been through the stage: what waits for its turn even then is forgotten.
void ExpertOffload::settle_late(const ExpertForecast& forecast) {
  for (const auto& [layer, expert] : late_) {
    if (forecast.waits(layer, expert))
      uncount(guess(layer, expert));
    else
      use(layer, expert);
  }
  late_.clear();
}

ExpertOffload::Demand ExpertOffload::demand_of(std::size_t layer, const std::vector<ServedChoice>& served) {
  Demand demand;
  demand.visits.assign(all_, 0);
  demand.host_tokens = demand.visits;
  demand.gpu_visits.assign(setup_.groups, 0);
  for (std::size_t i = 0; i < served.size(); ++i) {
    if (!reaches(i / active_, layer)) continue;
    const ServedChoice& choice = served[i];
    const double tokens = stand_for_[i / active_];
    count(layer, model_of_[i / active_], choices_[(i / active_ * layers_.size() + layer) * active_ + i % active_],
          choice, tokens);
    if (choice.by == ServedBy::none) continue;
    if (choice.by == ServedBy::host) {
      demand.host_tokens[index(choice.expert)] += tokens;
      continue;
    }
    double& visits = demand.visits[index(choice.expert)];
    const bool loaded = choice.by == ServedBy::load && !coming(choice.expert);
    if (visits == 0) (loaded ? demand.loaded : demand.used).push_back(choice.expert);
    visits += tokens;
    demand.gpu_visits[group_of(layer, choice.expert)] += tokens;
  }
  return demand;
}

std::int64_t ExpertOffload::in_group(std::size_t layer, const std::vector<ExpertId>& experts,
                                     std::size_t group) const {
  return std::ranges::count_if(experts, [&](ExpertId expert) { return group_of(layer, expert) == group; });
}

/// Which guesses the layer waits for; returns how many, by group.
std::vector<std::int64_t> ExpertOffload::right_guesses(std::size_t stage, std::size_t layer, const Demand& demand) {
  std::vector<std::int64_t> right(setup_.groups);
  if (static_cast<std::int64_t>(layer) == stages_[stage].layers.first) return right;
  for (ExpertLoad& guess : work_[layer - 1].loads) {
    if (guess.layer != layer) continue;
    guess.needed = demand.visits[index(guess.expert)] > 0;
    right[guess.group] += guess.needed ? 1 : 0;
  }
  return right;
}

/// Loads what is guessed for a layer and not there yet; it takes its place in the cache at once. A guess is made by
/// the GPUs of the layer before, so the first layer of a stage has none.
void ExpertOffload::predict(std::size_t stage, std::size_t layer, ExpertLayerWork& work) {
  for (std::size_t model = 0; model < setup_.models.size(); ++model) {
    if (std::ranges::find(model_of_, model) == model_of_.end()) continue;
    const LayerView view{.layer = static_cast<std::int64_t>(layer),
                         .here = layers_[layer - 1].asked_by[model],
                         .coming = layers_[layer].asked_by[model],
                         .before = before_[layer][model]};
    for (const ExpertId guess : setup_.models[model].prefetch->predict(view, setup_.rng)) {
      if (!setup_.experts.has(model, layer, guess)) continue;
      const ExpertId expert = setup_.experts.of(model, layer, guess);
      if (!holds(layer, expert) && !coming(expert)) coming_.push_back(expert);
    }
  }
  for (const ExpertId expert : coming_) {
    work.loads.push_back(load(stage, layer, expert, false));
    totals_.guesses += 1;
  }
}

ExpertLoad ExpertOffload::load(std::size_t stage, std::size_t layer, ExpertId expert, bool needed) {
  bool from_disk = false;
  if (host_) {
    const auto place = layer * all_ + index(expert);
    from_disk = !host_->use(CacheEntry{static_cast<std::uint32_t>(place)});
  }
  totals_.loads += 1;
  totals_.loaded_bytes += setup_.expert_bytes;
  totals_.disk_bytes += from_disk ? setup_.expert_bytes : 0;
  return {.step = steps_,
          .stage = stage,
          .layer = layer,
          .group = group_of(layer, expert),
          .expert = expert,
          .from_disk = from_disk,
          .bytes = setup_.expert_bytes,
          .needed = needed,
          .start_s = setup_.links.start_s};
}

void ExpertOffload::count(std::size_t layer, std::size_t model, const ExpertChoice& asked, const ServedChoice& choice,
                          double stands_for) {
  const double gate = asked.gate;
  ExpertTotals::Gates& gates = totals_.gates[layer];
  ExpertTotals::Model& own = totals_.models[model];
  if (setup_.experts.tuned(setup_.experts.of(model, layer, asked.expert))) own.tuned_gates += stands_for * gate;
  totals_.choices += stands_for;
  gates.all += stands_for * gate;
  if (choice.by == ServedBy::host) totals_.on_host += stands_for;
  if (choice.by == ServedBy::buddy) {
    totals_.substituted += stands_for;
    gates.replaced += stands_for * gate;
    gates.unlike += stands_for * gate * (1 - choice.likeness);
  }
  if (choice.by == ServedBy::base) own.base_gates += stands_for * gate;
  if (choice.by == ServedBy::none) {
    totals_.left_out += stands_for;
    gates.left_out += stands_for * gate;
  }
}

}  // namespace servecast
