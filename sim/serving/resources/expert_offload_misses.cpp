// What becomes of the experts that are not there when a layer starts, and of guesses that come too late.
#include <algorithm>

#include "sim/serving/resources/expert_offload.h"

namespace servecast {

bool ExpertOffload::coming(ExpertId expert) const { return std::ranges::find(coming_, expert) != coming_.end(); }

/// Of the layer's guesses, which the layer before asked for.
ExpertLoad& ExpertOffload::guess(std::size_t layer, ExpertId expert) {
  return *std::ranges::find_if(work_[layer - 1].loads,
                               [&](const ExpertLoad& load) { return load.layer == layer && load.expert == expert; });
}

/// It is never copied.
void ExpertOffload::uncount(const ExpertLoad& guess) {
  totals_.prefetched -= layers_[guess.layer].visits[index(guess.expert)] > 0 ? 1 : 0;
  totals_.loads -= 1;
  totals_.guesses -= 1;
  totals_.loaded_bytes -= guess.bytes;
  totals_.disk_bytes -= guess.from_disk ? guess.bytes : 0;
}

/// One from disk has taken its place in host memory already.
bool ExpertOffload::may_drop(std::size_t layer, ExpertId expert, const ExpertForecast& forecast) {
  return forecast.waits(layer, expert) && !guess(layer, expert).from_disk;
}

void ExpertOffload::drop(std::size_t layer, ExpertId expert, ExpertForecast& forecast) {
  ExpertLoad& dropped = guess(layer, expert);
  dropped.dropped = true;
  uncount(dropped);
  forecast.drop(layer, expert);
}

/// No token asks for them, so they need not delay the others.
void ExpertOffload::drop_wrong_guesses(std::size_t layer, ExpertForecast& forecast) {
  for (const ExpertId expert : coming_)
    if (layers_[layer].visits[index(expert)] == 0 && may_drop(layer, expert, forecast)) drop(layer, expert, forecast);
}

/// Which experts are in the GPU when the layer starts.
void ExpertOffload::find_resident(std::size_t layer, const ExpertForecast& forecast) {
  on_gpu_.assign(all_, false);
  for (std::size_t e = 0; e < all_; ++e) on_gpu_[e] = holds(layer, ExpertId{static_cast<std::uint16_t>(e)});
  for (const ExpertId expert : layers_[layer].asked) {
    totals_.requested += 1;
    totals_.resident += on_gpu_[index(expert)] ? 1 : 0;
    totals_.prefetched += coming(expert) ? 1 : 0;
  }
  for (std::size_t model = 0; model < setup_.models.size(); ++model)
    for (const ExpertId expert : layers_[layer].asked_by[model]) {
      totals_.models[model].requested += 1;
      totals_.models[model].resident += on_gpu_[index(setup_.experts.of(model, layer, expert))] ? 1 : 0;
    }
  for (const ExpertId expert : coming_) on_gpu_[index(expert)] = forecast.here(layer, expert);
}

/// How every choice of the layer's tokens is served.
std::vector<ServedChoice> ExpertOffload::serve(std::size_t layer, const ExpertForecast& forecast) {
  find_resident(layer, forecast);
  const ExpertForecast::Outlook ahead = forecast.outlook(layer, all_);
  std::vector<ServedChoice> served(stand_for_.size() * active_);
  for (std::size_t model = 0; model < setup_.models.size(); ++model) serve_model(model, layer, ahead, served);
  return served;
}

/// Of the tokens of one model: only its own experts stand in, or those that these were tuned from.
void ExpertOffload::serve_model(std::size_t model, std::size_t layer, const ExpertForecast::Outlook& ahead,
                                std::vector<ServedChoice>& served) {
  if (layers_[layer].asked_by[model].empty()) return;
  std::vector<std::size_t> tokens;
  std::vector<double> stands_for;
  std::vector<ExpertChoice> choices;
  std::vector<ServedChoice> own;
  const OfModel seen = seen_by(model, layer, ahead);
  for (std::size_t token = 0; token < stand_for_.size(); ++token) {
    if (model_of_[token] != model || !reaches(token, layer)) continue;
    tokens.push_back(token);
    stands_for.push_back(stand_for_[token]);
    for (std::size_t rank = 0; rank < active_; ++rank) {
      choices.push_back(choices_[(token * layers_.size() + layer) * active_ + rank]);
      const ExpertId expert = choices.back().expert;
      own.push_back({.by = seen.on_gpu[index(expert)] ? ServedBy::gpu : ServedBy::load, .expert = expert});
    }
  }
  const MissView view{.layer = static_cast<std::int64_t>(layer),
                      .active = active_,
                      .choices = choices,
                      .on_gpu = seen.on_gpu,
                      .stands_for = stands_for,
                      .left_s = seen.left_s,
                      .base_on_gpu = seen.base_on_gpu,
                      .link_free_s = ahead.link_free_s,
                      .costs = {.expert_bytes = setup_.expert_bytes,
                                .load_s = setup_.links.start_s + setup_.expert_bytes / setup_.links.host_bytes_per_s,
                                .host_expert_s = setup_.times.host_expert_s,
                                .host_token_s = setup_.times.host_token_s}};
  setup_.models[model].miss->answer(view, setup_.rng, own);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const bool base = own[i].by == ServedBy::base;
    served[tokens[i / active_] * active_ + i % active_] = {
        .by = own[i].by,
        .expert = base ? own[i].expert : setup_.experts.of(model, layer, own[i].expert),
        .likeness = own[i].likeness};
  }
}

/// What is there of a layer's experts, as one of the models numbers them. What it lacks is never there for it.
ExpertOffload::OfModel ExpertOffload::seen_by(std::size_t model, std::size_t layer,
                                              const ExpertForecast::Outlook& ahead) const {
  OfModel seen{.on_gpu = std::vector(each_, false),
               .base_on_gpu = std::vector(each_, false),
               .left_s = std::vector(each_, ExpertForecast::infinity)};
  for (std::size_t e = 0; e < each_; ++e) {
    const ExpertId expert{static_cast<std::uint16_t>(e)};
    if (!setup_.experts.has(model, layer, expert)) continue;
    const ExpertId across = setup_.experts.of(model, layer, expert);
    seen.on_gpu[e] = on_gpu_[index(across)];
    seen.base_on_gpu[e] = setup_.experts.tuned(across) && on_gpu_[e];
    seen.left_s[e] = ahead.left_s[index(across)];
  }
  return seen;
}

}  // namespace servecast
