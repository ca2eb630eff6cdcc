// Expert miss "buddy": an expert that is often chosen together with the missing one stands in (BuddyMoE, arXiv
// 2511.10054).
//
// For each token and layer, in this order:
//   1. token gate: a token whose gate entropy (token_entropy) is not above tau is picky and gets what it asked for;
//   so
//      does one whose first gate leads its second by more than `margin`. With tau_percentile, tau is per layer: that
//      percentile of a profile.
//   2. distribution gate: where the share beta or more of the experts that the batch asks for is missing, the cache
//   is
//      a bad one for this batch and no buddy stands in; with pcie_budget_bytes, where loading them would take more.
//   3. choice: for each missing expert the buddy of the largest Psi that is in the GPU's memory and not used by the
//      token already, at most rho per token. The routing weight stays.
//   4. fallback: what is still missing is loaded, computed by the host where that is sooner, or left out.
// An expert that a prefetch has on its way is missing when its layer starts, but not for the distribution gate.
// Saves loads where entropy is high and the cache large enough; costs answer quality, which the report forecasts
// (experts/accuracy_lost.h). Not published, so defaults of ours: beta (0.6 in a reproduction), eta, kappa, margin,
// alpha. z is the gate's liking for the buddy: unknown for experts that were not chosen, so estimated as the mean q
// to the token's other choices, weighted by their gates, over the largest such of all buddies. hop is 0: every GPU of
// a replica holds its slice of each expert.
#include <algorithm>

#include "models/policy/expert_miss.h"
#include "models/policy/experts/expert_buddies.h"
#include "models/policy/experts/host_or_load.h"
#include "models/policy/experts/routing_statistics.h"

namespace servecast {
namespace {

class BuddyStandIns final : public ExpertMiss {
 public:
  struct Settings {
    double tau = 0.95;
    std::optional<double> tau_percentile;
    double temperature = 1;
    std::optional<double> margin;
    double beta = 0.6;
    std::optional<double> pcie_budget_bytes;
    std::int64_t rho = 3;
    double alpha = 0.95;
    std::int64_t k_max = 16;
    double laplace = 1;
    double eta = 0;
    double kappa = 0;
    bool zero_loss = false;
    std::string fallback = "load";

    void fields(Fields& f) {
      f.field("tau", tau, "entropy of a token's gates, 0 to 1, above which others may stand in", fraction);
      f.field("tau_percentile", tau_percentile,
              "in place of tau: that percentile of the entropies of each layer (paper: 10 to 20)",
              {.min = 0, .max = 100});
      f.field("temperature", temperature, "of the gates in that entropy (paper: 0.8 to 1.2)", positive);
      f.field("margin", margin,
              "no buddy stands in where the first gate leads the second by more; left out: no bound", fraction);
      f.field("beta", beta, "no buddy stands in where this share of the experts asked for is missing, or more",
              fraction);
      f.field("pcie_budget_bytes", pcie_budget_bytes, "or where loading them all would move more than this",
              positive);
      f.field("rho", rho, "most stand-ins per token and layer", at_least_one);
      f.field("alpha", alpha, "an expert's buddies are the fewest that make up this share of what is chosen with it",
              positive_fraction);
      f.field("k_max", k_max, "and at most so many", at_least_one);
      f.field("laplace", laplace, "added to every count of two experts chosen together");
      f.field("eta", eta, "weight of the gate's liking for the buddy in its score");
      f.field("kappa", kappa, "loss of score per hop to the GPU that holds it", fraction);
      f.field("zero_loss", zero_loss, "true: no buddy ever stands in; the fallback takes all");
      f.field("fallback", fallback,
              "load: the layer waits; cpu: the host computes where that is sooner; skip: left out",
              {"load", "cpu", "skip"});
    }
  };
  explicit BuddyStandIns(const Settings& settings) : settings_(settings) {}

  bool computes_on_host() const override { return settings_.fallback == "cpu"; }

  void prepare(const RoutingTrace& profile) override {
    buddies_.emplace(profile, ExpertBuddies::Limits{settings_.alpha, settings_.k_max, settings_.laplace});
    tau_.assign(static_cast<std::size_t>(profile.shape.layers), settings_.tau);
    if (settings_.tau_percentile)
      tau_ = entropy_percentiles(profile, *settings_.tau_percentile, settings_.temperature);
  }

  void answer(const MissView& view, Rng&, std::span<ServedChoice> served) const override {
    const bool bypassed = settings_.zero_loss || mis_cached(view, served);
    for (std::size_t begin = 0; begin < served.size(); begin += view.active) {
      const auto choices = view.choices.subspan(begin, view.active);
      const auto token = served.subspan(begin, view.active);
      if (!bypassed && !picky(view.layer, choices)) stand_in(view, choices, token);
      if (settings_.fallback == "skip")
        for (ServedChoice& choice : token)
          if (choice.by == ServedBy::load) choice.by = ServedBy::none;
    }
    if (settings_.fallback == "cpu") compute_on_host_where_sooner(view, served);
  }

 private:
  /// The distribution gate.
  bool mis_cached(const MissView& view, std::span<const ServedChoice> served) const {
    std::vector<bool> asked(view.on_gpu.size(), false);
    std::int64_t all = 0;
    std::int64_t missing = 0;
    for (const ServedChoice& choice : served) {
      if (asked[index(choice.expert)]) continue;
      asked[index(choice.expert)] = true;
      ++all;
      missing += view.on_gpu[index(choice.expert)] || view.on_its_way(choice.expert) ? 0 : 1;
    }
    if (static_cast<double>(missing) >= settings_.beta * static_cast<double>(all)) return true;
    return settings_.pcie_budget_bytes &&
           static_cast<double>(missing) * view.costs.expert_bytes > *settings_.pcie_budget_bytes;
  }

  /// The token gate.
  bool picky(std::int64_t layer, std::span<const ExpertChoice> choices) const {
    if (token_entropy(choices, settings_.temperature) <= tau_[static_cast<std::size_t>(layer)]) return true;
    return settings_.margin && choices.size() > 1 && choices[0].gate - choices[1].gate > *settings_.margin;
  }

  void stand_in(const MissView& view, std::span<const ExpertChoice> choices, std::span<ServedChoice> token) const {
    std::int64_t left = settings_.rho;
    for (std::size_t i = 0; i < token.size() && left > 0; ++i) {
      if (token[i].by != ServedBy::load) continue;
      const std::optional<ExpertId> buddy = best_buddy(view, choices, token, i);
      if (!buddy) continue;
      token[i] = {.by = ServedBy::buddy,
                  .expert = *buddy,
                  .likeness = buddies_->likeness(view.layer, choices[i].expert, *buddy)};
      --left;
    }
  }

  std::optional<ExpertId> best_buddy(const MissView& view, std::span<const ExpertChoice> choices,
                                     std::span<const ServedChoice> token, std::size_t missing) const {
    struct Candidate {
      ExpertBuddy buddy{};
      double liking = 0;
    };
    std::vector<Candidate> candidates;
    double most_liked = 0;
    for (const ExpertBuddy& buddy : buddies_->of(view.layer, choices[missing].expert)) {
      const bool used = std::ranges::find(token, buddy.expert, &ServedChoice::expert) != token.end() ||
                        std::ranges::find(choices, buddy.expert, &ExpertChoice::expert) != choices.end();
      if (used || !view.on_gpu[index(buddy.expert)]) continue;
      candidates.push_back({.buddy = buddy});
      for (const ExpertChoice& other : choices)
        candidates.back().liking += other.gate * buddies_->q(view.layer, other.expert, buddy.expert);
      most_liked = std::max(most_liked, candidates.back().liking);
    }
    std::optional<ExpertId> best;
    double best_score = 0;
    for (const Candidate& c : candidates) {
      const double z = most_liked > 0 ? c.liking / most_liked : 0;
      const double score = buddy_score(c.buddy.q, z, 0, {.eta = settings_.eta, .kappa = settings_.kappa});
      if (best && score <= best_score) continue;
      best = c.buddy.expert;
      best_score = score;
    }
    return best;
  }

  Settings settings_;
  std::optional<ExpertBuddies> buddies_{};
  std::vector<double> tau_{};  // by layer
};

[[maybe_unused]] const bool added = Registry<ExpertMiss>::add<BuddyStandIns>(
    "buddy", "an expert often chosen together with them stands in (BuddyMoE)");

}  // namespace
}  // namespace servecast
