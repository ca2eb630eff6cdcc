#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/base/totals.h"
#include "models/hw/latency/kernel_time.h"
#include "models/hw/llm/shape.h"
#include "models/policy/expert_miss.h"
#include "models/policy/expert_prefetch.h"
#include "models/policy/experts/expert_slots.h"
#include "models/policy/experts/shared_experts.h"
#include "sim/serving/resources/expert_forecast.h"
#include "sim/serving/resources/expert_step.h"

namespace servecast {

/// Consecutive tokens of one request that a step computes.
struct TokenRun {
  RequestId request{};
  std::int64_t first = 0;
  std::int64_t tokens = 0;
  std::size_t model = 0;    // of those that share the slots
  std::int64_t layers = 0;  // of the model that they run before they leave; 0: all
};

/// One of several models that share the slots. Experts are numbered as the base's.
struct ExpertModel {
  std::unique_ptr<ExpertRouting> routing;  // resized
  std::unique_ptr<ExpertPrefetch> prefetch;
  std::unique_ptr<ExpertMiss> miss;  // prepared
};

/// How long experts take on a replica.
struct ExpertTimes {
  GemmFit fit{};  // of the GPU's grouped products
  DataType weights = DataType::bf16;
  Llm llm{};
  std::int64_t tensor_parallel = 1;
  double host_expert_s = 0;  // see MissCosts
  double host_token_s = 0;

  /// One layer's products, of so many visits to so many experts.
  double gpu_s(double visits, double touched) const {
    return touched == 0 ? 0 : experts_time(fit, weights, llm, tensor_parallel, visits, touched).seconds;
  }
};

struct ExpertOffloadSetup {
  ExpertShape shape{};                       // of the base model
  std::vector<LayerRange> stage_layers{};    // of these, on the GPUs of each pipeline stage; none given: all on one
  std::size_t groups =
      1;  // of a stage's GPUs, each with whole experts of its own, in order; within one: slices of each
  SharedExperts experts{};  // of all models
  std::vector<ExpertModel> models{};
  std::unique_ptr<ExpertCache> cache;
  std::vector<std::uint64_t> long_run_uses{};  // [layer][expert] across models, from a profile
  std::int64_t slots = 0;                      // of each layer, in the GPUs' memory
  std::int64_t host_experts = 0;               // of all layers, in host memory; the others are on disk
  double expert_bytes = 0;                     // of all GPUs' slices together
  OwnLinks::Rates links{};                     // of a group
  bool drop_late_guesses = false;              // that no token waits for and that have not begun
  ExpertTimes times{};
  Rng rng{0, ""};
};

/// The experts of one replica: which tokens want which, which are in the GPUs' memory, and what a step becomes by
/// that. A step's work is planned when it is launched: what is there when a layer starts, and what to wait for, as
/// loads are forecast over links that no other traffic uses (ExpertForecast). How long it takes in each pipeline
/// stage follows from the links of that stage's GPUs.
///
/// Several models may share the slots: a layer's experts are numbered across models here (SharedExperts).
class ExpertOffload {
 public:
  explicit ExpertOffload(ExpertOffloadSetup setup);

  /// Whether this stage has layers with experts.
  bool on(std::size_t stage) const { return stages_[stage].layers.size() > 0; }
  /// Plans the next step, which would take `full` in each stage with all experts in the GPUs' memory.
  ExpertStep plan(std::span<const StageTime> full, std::span<const TokenRun> runs);
  /// The step has the GPUs of a stage, which take `stretch` times as long as planned. On own links it returns the
  /// end; where others use the links too, nothing: it goes on by go_on() and arrived(). The step stays where it is.
  std::optional<double> begin(ExpertStep& step, std::size_t stage, double now_s, double stretch, bool own_links);
  /// The stage was begun last by this step, on own links, and not yet in truth.
  void undo(const ExpertStep& step, std::size_t stage);
  /// Others use the links from now on. True where the step is under way there: then it goes on by go_on() and
  /// arrived(), first of all with the loads `under_way`, of which some bytes are left.
  bool share_links(ExpertStep& step, std::size_t stage, double now_s, std::vector<ExpertLoad>& under_way);
  /// The same of a stage that no step is in: what wrong guesses still copy is forgotten.
  void clear_links(std::size_t stage) {
    for (OwnLinks& group : stages_[stage].links) group.hand_over();
  }

  // While the links are shared:
  /// Everything due; returns the loads to start now.
  std::vector<ExpertLoad> go_on(ExpertStep& step, std::size_t stage, double now_s);
  /// `step` is the one that asked for it; null where that is over.
  void arrived(ExpertStep* step, const ExpertLoad& load, double now_s);
  /// When the step is through this stage, once: then it is.
  std::optional<double> take_end(ExpertStep& step, std::size_t stage);

  /// The step comes no further in this stage than this share of it.
  void cut(const ExpertStep& step, std::size_t stage, double done_fraction);

  std::size_t models() const { return setup_.models.size(); }
  void forget(RequestId request) {
    for (const ExpertModel& model : setup_.models) model.routing->forget(request);
  }
  const ExpertTotals& totals() const { return totals_; }

 private:
  struct StageState {
    LayerRange layers{};                       // of those with experts
    std::vector<OwnLinks> links{};             // by group
    std::vector<std::int64_t> streams_used{};  // by group: flows under way
  };
  struct Layer {
    std::vector<ExpertId> asked{};  // each once, in the order of the tokens
    std::vector<std::vector<ExpertId>> asked_by{};  // the same by model, numbered as the base's
    std::vector<double> visits{};   // by expert
    double tokens = 0;              // that run it
  };
  struct Demand {                       // of a layer, once it is known which GPU computes what
    std::vector<double> visits{};       // on the GPU, by expert
    std::vector<double> host_tokens{};  // by expert
    std::vector<ExpertId> used{};       // on the GPU without a load now, each once
    std::vector<ExpertId> loaded{};     // each once
    std::vector<double> gpu_visits{};   // by group
  };
  void route(std::span<const TokenRun> runs);
  void route_token(const RoutedToken& token, const TokenRun& run, double stands_for);
  bool reaches(std::size_t token, std::size_t layer) const { return layer < depth_of_[token]; }
  double layers_run(std::size_t stage) const;
  double other_s(std::size_t stage, std::size_t layer, double layers_run, const StageTime& full) const;
  void plan_layer(std::size_t stage, std::size_t layer, ExpertForecast& forecast);
  void time_layer(std::size_t layer, const Demand& demand, const std::vector<std::int64_t>& guessed);
  void settle_cache(std::size_t layer, const Demand& demand, ExpertForecast& forecast);
  void settle_late(const ExpertForecast& forecast);
  void drop_wrong_guesses(std::size_t layer, ExpertForecast& forecast);
  void drop(std::size_t layer, ExpertId expert, ExpertForecast& forecast);
  bool may_drop(std::size_t layer, ExpertId expert, const ExpertForecast& forecast);
  ExpertLoad& guess(std::size_t layer, ExpertId expert);
  void uncount(const ExpertLoad& guess);
  void find_resident(std::size_t layer, const ExpertForecast& forecast);
  bool coming(ExpertId expert) const;
  std::vector<ServedChoice> serve(std::size_t layer, const ExpertForecast& forecast);
  struct OfModel {  // by expert
    std::vector<bool> on_gpu{};
    std::vector<bool> base_on_gpu{};
    std::vector<double> left_s{};
  };
  OfModel seen_by(std::size_t model, std::size_t layer, const ExpertForecast::Outlook& ahead) const;
  void serve_model(std::size_t model, std::size_t layer, const ExpertForecast::Outlook& ahead,
                   std::vector<ServedChoice>& served);
  void predict(std::size_t stage, std::size_t layer, ExpertLayerWork& work);
  std::size_t group_of(std::size_t layer, ExpertId expert) const {
    return index(setup_.experts.base(layer, expert)) / (each_ / setup_.groups);
  }
  ExpertSlots& slots_for(std::size_t layer, ExpertId expert) {
    return slots_[layer * setup_.groups + group_of(layer, expert)];
  }
  CacheEntry entry(std::size_t layer, ExpertId expert) const { return entries_[layer * all_ + index(expert)]; }
  bool holds(std::size_t layer, ExpertId expert) { return slots_for(layer, expert).holds(entry(layer, expert)); }
  void use(std::size_t layer, ExpertId expert) { slots_for(layer, expert).use(entry(layer, expert)); }
  std::int64_t in_group(std::size_t layer, const std::vector<ExpertId>& experts, std::size_t group) const;
  std::vector<std::int64_t> right_guesses(std::size_t stage, std::size_t layer, const Demand& demand);
  ExpertLoad load(std::size_t stage, std::size_t layer, ExpertId expert, bool needed);
  Demand demand_of(std::size_t layer, const std::vector<ServedChoice>& served);
  void fill_slots(std::size_t layer);
  void count(std::size_t layer, std::size_t model, const ExpertChoice& asked, const ServedChoice& choice,
             double stands_for);
  void ask(Layer& layer, std::size_t number, std::size_t token);
  void restart(ExpertStep& step, std::size_t stage) const;
  void finish(ExpertStep& step, std::size_t stage, double end_s);

  ExpertOffloadSetup setup_;
  std::vector<ExpertSlots> slots_{};   // by layer and group
  std::optional<ExpertSlots> host_{};  // where not all experts are in host memory
  std::size_t active_;
  std::size_t each_;                     // experts of the base model in a layer
  std::size_t all_;                      // of all models
  std::vector<CacheEntry> entries_{};    // by layer and expert: its place among its group's
  std::vector<ExpertChoice> choices_{};  // [token][layer][rank], of this step
  std::vector<double> stand_for_{};      // by token: how many it stands for
  std::vector<std::size_t> model_of_{};  // by token
  std::vector<std::size_t> depth_of_{};  // by token: the layers with experts that it runs are those before
  double tokens_ = 0;
  std::vector<Layer> layers_{};
  std::vector<std::vector<std::vector<ExpertId>>> before_{};  // by layer and model: asked in the step before
  std::vector<bool> on_gpu_{};                   // by expert, when the layer that is planned starts
  std::vector<ExpertId> coming_{};               // guessed for it
  std::vector<bool> asked_before_{};             // by model and expert, while a layer's demand is gathered
  std::vector<std::pair<std::size_t, ExpertId>>
      late_{};  // guesses of this stage whose turn had not come at their gate
  std::vector<ExpertLayerWork> work_{};
  std::vector<StageState> stages_{};
  std::int64_t steps_ = 0;
  ExpertTotals totals_{};
};

}  // namespace servecast
