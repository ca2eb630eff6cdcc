// Expert miss "base_expert": for an expert that a model has tuned, the one that it was tuned from stands in.
//
// Where several fine-tuned models share the slots (expert_offload: {models}), the base model's expert of the same
// number is nearer to a tuned one than any other: it has the same shape, place and routing weight, and lacks what
// tuning gained. It serves where it is in the GPU's memory and the tuned one is not. What that costs in answers the
// report says where a model's `gained_points` are given. What is still missing goes by the fallback: it is loaded,
// computed by the host where that is sooner, or left out.
#include <algorithm>

#include "models/policy/expert_miss.h"
#include "models/policy/experts/host_or_load.h"

namespace servecast {
namespace {

class BaseExpert final : public ExpertMiss {
 public:
  struct Settings {
    std::optional<std::int64_t> most_per_token;
    std::string fallback = "load";

    void fields(Fields& f) {
      f.field("most_per_token", most_per_token, "choices of a token in a layer that they serve; left out: all",
              at_least_one);
      f.field("fallback", fallback,
              "what becomes of the others: load: the layer waits; cpu: the host computes them where that is sooner; "
              "skip: they are left out",
              {"load", "cpu", "skip"});
    }
  };
  explicit BaseExpert(const Settings& settings) : settings_(settings) {}

  bool computes_on_host() const override { return settings_.fallback == "cpu"; }

  void answer(const MissView& view, Rng&, std::span<ServedChoice> served) const override {
    for (std::size_t begin = 0; begin < served.size(); begin += view.active)
      stand_in(view, served.subspan(begin, view.active));
    if (settings_.fallback == "cpu") compute_on_host_where_sooner(view, served);
    if (settings_.fallback != "skip") return;
    for (ServedChoice& choice : served)
      if (choice.by == ServedBy::load) choice.by = ServedBy::none;
  }

 private:
  void stand_in(const MissView& view, std::span<ServedChoice> token) const {
    std::int64_t left = settings_.most_per_token.value_or(static_cast<std::int64_t>(token.size()));
    for (ServedChoice& choice : token) {
      if (choice.by != ServedBy::load || left == 0 || view.base_on_gpu.empty() ||
          !view.base_on_gpu[index(choice.expert)])
        continue;
      choice.by = ServedBy::base;
      --left;
    }
  }

  Settings settings_;
};

[[maybe_unused]] const bool added = Registry<ExpertMiss>::add<BaseExpert>(
    "base_expert", "for a tuned expert, the one that it was tuned from stands in");

}  // namespace
}  // namespace servecast
