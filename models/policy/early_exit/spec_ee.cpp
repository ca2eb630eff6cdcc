// Early exit "spec_ee": a draft head names four likely tokens; after a layer, a small predictor looks at how their
// logits develop and says whether the answer stands; the LM head then checks it, and the token leaves (SpecEE, ISCA
// 2025, arXiv 2504.08850).
//
// A step of several sequences runs to the deepest of their exits: good for one user on a small device, little is left
// at a batch of eight. Predictors at all layers cost more than they save; two-level scheduling keeps those of the
// layers where most tokens leave and of the neighbours of the last five exits. With speculation a path of drafts is
// one hyper-token that leaves where its deepest token does; neighbours leave near each other, which makes that cheap.
//
// KV of skipped layers: its slots are held in every layer, and filling them is not charged, as in the time model that
// the paper's figures follow: tokens x layers run.
//
// Exit layers: their mean is the paper's (table 4); their distribution is not published as numbers. It is taken as
// even as the mean allows, from the first layer of the published code's fixed set on (15 of 32, in proportion).
#include <algorithm>
#include <array>
#include <cmath>

#include "models/policy/early_exit.h"

namespace servecast {
namespace {

struct Table4 {
  std::string_view llm;
  std::array<double, 7> layers;  // in the order of `datasets`
};
constexpr std::array<std::string_view, 7> datasets{"mmlu", "csqa", "sst2", "gsm8k", "sum", "mt_bench", "alpaca"};
constexpr std::array<Table4, 3> table_4{{
    {"llama-2-7b", {23.16, 22.90, 23.55, 23.13, 23.79, 23.22, 21.96}},
    {"llama-2-13b", {24.93, 24.59, 25.92, 26.34, 27.80, 26.02, 24.96}},
    {"llama-2-70b", {53.25, 52.14, 49.40, 56.51, 57.58, 55.31, 52.88}},
}};

/// Scores of Llama-2-7B with all layers and with SpecEE: MMLU, CommonsenseQA, SST-2, GSM8K.
constexpr std::array<std::array<double, 2>, 4> scores{
    {{45.30, 44.64}, {61.43, 61.26}, {86.24, 85.89}, {20.62, 20.00}}};

class SpecEe final : public EarlyExit {
 public:
  struct Settings {
    std::string dataset = "mt_bench";
    std::optional<double> mean_layers{};
    std::vector<double> exit_shares{};
    std::string predictors = "two_level";
    double active_predictors = 10.2;
    double predictor_s = 0.9e-3 / 10.2;  // 0.9 of 16 ms a token, Llama-2-7B on an A100
    double draft_layers = 1;
    double checks = 0;
    double same_exit_fraction = 0.8;  // of tokens that leave near one of the last five exits

    void fields(Fields& f) {
      f.field("dataset", dataset, "whose mean number of layers, where the model is in the paper's table 4",
              {datasets.begin(), datasets.end()});
      f.field("mean_layers", mean_layers, "layers that a token runs in the mean; left out: of that table", positive);
      f.field("exit_shares", exit_shares,
              "relative share of tokens that leave after 1, 2, ... layers, one for each layer; empty: from the mean");
      f.field("predictors", predictors, "at all layers (T1 of the paper), or by two-level scheduling (T2)",
              {"all", "two_level"});
      f.field("active_predictors", active_predictors, "with two levels: that are asked for a token, in the mean");
      f.field("predictor_s", predictor_s, "for each, launches included");
      f.field("draft_layers", draft_layers, "layer times that the draft head takes");
      f.field("checks", checks, "LM heads for exits that were then not taken; not published");
      f.field("same_exit_fraction", same_exit_fraction,
              "of drafts that leave with the token before them, as one hyper-token (T3)", fraction);
    }
  };
  explicit SpecEe(const Settings& settings) : settings_(settings) {}

  std::optional<ExitLayers> exits(const Llm& llm) const override {
    if (!settings_.exit_shares.empty()) return ExitLayers(settings_.exit_shares);
    return ExitLayers::with_mean(first(llm), llm.layers, mean(llm).value());
  }

  ExitTerms terms(const Llm& llm) const override {
    const bool all = settings_.predictors == "all";
    return {.draft_layers = settings_.draft_layers,
            .predictors = all ? static_cast<double>(llm.layers) : settings_.active_predictors,
            .predictor_s = settings_.predictor_s,
            .checks = settings_.checks};
  }

  double tokens_per_draft() const override { return 1 - settings_.same_exit_fraction; }

  std::optional<AccuracyCost> accuracy(const Llm&) const override {
    double lost = 0;
    for (const auto& [full, early] : scores) lost += (full - early) / static_cast<double>(scores.size());
    return AccuracyCost{.lost_points = lost,
                        .source = "SpecEE, Llama-2-7B on MMLU, CommonsenseQA, SST-2 and GSM8K, mean"};
  }

  std::optional<std::string> problem(const Llm& llm) const override {
    const auto& shares = settings_.exit_shares;
    if (!shares.empty()) {
      double sum = 0;
      for (const double share : shares) sum += share;
      const bool negative = std::ranges::any_of(shares, [](double s) { return s < 0; });
      if (static_cast<std::int64_t>(shares.size()) == llm.layers && sum > 0 && !negative) return std::nullopt;
      return "exit_shares wants one share for each of the " + std::to_string(llm.layers) + " layers of " + llm.name +
             ", none below 0 and not all 0";
    }
    const auto layers = mean(llm);
    if (!layers)
      return "no publication says at which layers tokens leave " + llm.name + ": give mean_layers or exit_shares";
    if (*layers > static_cast<double>(first(llm)) && *layers < static_cast<double>(llm.layers)) return std::nullopt;
    return "mean_layers of " + llm.name + " lies above " + std::to_string(first(llm)) + " and below " +
           std::to_string(llm.layers) + "; for anything else give exit_shares";
  }

 private:
  static std::int64_t first(const Llm& llm) { return (llm.layers * 15 + 31) / 32; }

  std::optional<double> mean(const Llm& llm) const {
    if (settings_.mean_layers) return settings_.mean_layers;
    const auto row = std::ranges::find(table_4, llm.name, &Table4::llm);
    if (row == table_4.end()) return std::nullopt;
    const auto column = std::ranges::find(datasets, settings_.dataset) - datasets.begin();
    return row->layers[static_cast<std::size_t>(column)];
  }

  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<EarlyExit>::add<SpecEe>("spec_ee", "tokens leave where a predictor and the LM head say that they may");

}  // namespace
}  // namespace servecast
