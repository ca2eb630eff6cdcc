#include "calibrate/servers/fit_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "calibrate/servers/comparison.h"
#include "calibrate/servers/residuals.h"
#include "models/base/escaped.h"
#include "models/base/input_file.h"
#include "models/base/normal_quantile.h"
#include "models/base/quantile.h"

namespace servecast {
namespace {

constexpr double full_weight_rows = 10;  // a system with as many or more weighs 1
constexpr double most_factor = 4;   // beyond, something is missing from the model, or from what the row says
constexpr double extremes_over_p95 =
    1.844 / normal_p95;  // of 19 normal draws the most extreme one, in the mean (Harter 1961)

/// GPUs whose kernels are alike. An entry of an engine file names all of one generation; the last are boards on which
/// no kernel was timed, with memory, power or a host that those of their generation have not.
const std::array<std::vector<std::string>, 5> generations{{
    {"a100_sxm_40g", "a100_sxm_80g", "a800_sxm_80g"},
    {"h100_sxm_80g", "h200_sxm_141g", "h800_sxm_80g"},
    {"b200_sxm_180g", "b300_sxm_288g", "gb200_186g", "gb300_288g"},
    {"l40s_48g"},
    {"a100_pcie_40g", "a100_pcie_80g", "gh200_96g", "h100_nvl_94g", "h100_pcie_80g", "h200_nvl_141g", "rtx_4060_8g",
     "rtx_4090_24g"},
}};

/// Engines without figures of their own, or without some of a kind, and the one whose last entry stands in.
struct Neighbour {
  const char* engine;
  const char* like;
};
constexpr std::array<Neighbour, 2> neighbours{{{"vllm-0.12", "vllm-0.15"}, {"trtllm-0.15", "trtllm-1.0"}}};

bool is_of(const ComparedFigure& f, ServerFigure figure) { return f.figure == figure; }
bool is_open(const ComparedFigure& f) { return std::string_view(f.load) == "open"; }

/// Of a closed load, which has no queue_fraction, what its TTFT is multiplied by; of an open one below the knee, the
/// time without the queue. The queue is the forecast's where more was measured; where less was, it is as much shorter
/// as explains that.
double first_token_factor_of(const ComparedFigure& f) {
  const double all = f.measured / *f.forecast;
  const double own = 1 - f.queue_fraction;
  return all > 1 || own == 1 ? (all - f.queue_fraction) / own : std::min(1.0, all / own);
}

/// What belongs to one entry.
struct Members {
  std::vector<const ComparedFigure*> figures{};

  /// Each system's weights add up to 1, of a system with few rows to less.
  template <class Belongs, class Value>
  Residuals residuals(const Belongs& belongs, const Value& value) const {
    std::map<std::string, double> rows;
    for (const ComparedFigure* f : figures)
      if (belongs(*f)) ++rows[f->system];
    Residuals out;
    for (const ComparedFigure* f : figures)
      if (belongs(*f)) out.push_back({value(*f), 1 / std::max(full_weight_rows, rows[f->system]), f->system});
    return out;
  }

  /// Half the logarithm of what the kernels' spreads alone make of a figure, in the middle of its rows.
  double by_kernels(ServerFigure figure) const {
    std::vector<double> halves;
    for (const ComparedFigure* f : figures)
      if (is_of(*f, figure) && f->p05 && f->p95 && *f->p05 > 0)
        halves.push_back(std::log(*f->p95 / *f->p05) / 2 / (is_of(*f, ServerFigure::ttft_mean) ? 1 : f->spread));
    return halves.empty() ? 0 : median(halves) / extremes_over_p95;
  }

  bool has_tpot(const std::string& system) const {
    return std::ranges::any_of(
        figures, [&](const ComparedFigure* f) { return f->system == system && is_of(*f, ServerFigure::tpot_mean); });
  }

  Residuals steps() const {
    const auto slower = [](const ComparedFigure& f) { return std::log(f.measured / *f.forecast) / f.spread; };
    Residuals all = residuals([](const ComparedFigure& f) { return is_of(f, ServerFigure::tpot_mean); }, slower);
    const Residuals rates = residuals(
        [&](const ComparedFigure& f) {
          const bool by_arrivals = is_open(f) && !f.beyond_knee;
          return is_of(f, ServerFigure::output_tokens_per_s) && !has_tpot(f.system) && !by_arrivals;
        },
        [&](const ComparedFigure& f) { return -slower(f); });
    all.insert(all.end(), rates.begin(), rates.end());
    return all;
  }

  Residuals first_tokens() const {
    return residuals([](const ComparedFigure& f) { return is_of(f, ServerFigure::ttft_mean) && !f.beyond_knee; },
                     [](const ComparedFigure& f) { return std::log(first_token_factor_of(f)); });
  }

  /// By how much more P99 than the mean is off, server by server.
  Residuals tails() const {
    std::map<std::pair<std::string, std::string>, double> means;
    for (const ComparedFigure* f : figures)
      if (is_of(*f, ServerFigure::ttft_mean)) means[{f->server, f->stage}] = std::log(f->measured / *f->forecast);
    Residuals out;
    for (const ComparedFigure* f : figures)
      if (is_of(*f, ServerFigure::ttft_p99))
        if (const auto mean = means.find({f->server, f->stage}); mean != means.end())
          out.push_back({std::log(f->measured / *f->forecast) - mean->second, 1});
    return out;
  }
};

/// What is left of one side of a spread where others explain a part of it.
double unexplained(double side, double one, double other = 0) {
  return std::sqrt(std::max(0.0, side * side - one * one - other * other));
}

double rounded(double factor) { return std::round(factor * 1000) / 1000; }
double bounded(double factor) { return rounded(std::clamp(factor, 1 / most_factor, most_factor)); }

ErrorRange range(double middle, double below, double above) {
  return {.p05 = bounded(std::min(1.0, std::exp(middle - below))),
          .p50 = bounded(std::exp(middle)),
          .p95 = bounded(std::max(1.0, std::exp(middle + above)))};
}

/// Solves (1 + 2.3 s) / (1 + s) = e^gap, where 2.3 means come to P99.
double stalls(const Residuals& tails) {
  if (tails.size() < least_figures) return 0;
  const double reach = std::log(10.0);
  const double gap = std::exp(weighted_quantile(tails, 0.5));
  const double most = 1;  // beyond, an exponential is not what it is
  return gap <= 1 ? 0 : gap >= reach ? most : std::min(most, (gap - 1) / (reach - gap));
}

std::string source_of(const Members& members, std::size_t steps, std::size_t first_tokens) {
  std::set<std::string> systems;
  for (const ComparedFigure* f : members.figures) systems.insert(f->system);
  return fmt::format("{} systems, {} figures of steps and {} of TTFT", systems.size(), steps, first_tokens);
}

CalibrationError entry(const Members& members, const Quantiles& s, const Quantiles& first_tokens) {
  const Residuals of_steps = members.steps();
  const Residuals of_first = members.first_tokens();
  const double kernels = members.by_kernels(ServerFigure::tpot_mean);
  const double below = unexplained(s.p50 - s.p05, kernels);
  const double above = unexplained(s.p95 - s.p50, kernels);
  CalibrationError error{.steps = range(s.p50, below, above),
                         .source = source_of(members, of_steps.size(), of_first.size())};
  if (of_first.empty()) return error;
  const double ttft_kernels = members.by_kernels(ServerFigure::ttft_mean);
  error.stalls_fraction = rounded(stalls(members.tails()));
  error.first_token = range(first_tokens.p50 - s.p50 - std::log1p(error.stalls_fraction),
                            unexplained(first_tokens.p50 - first_tokens.p05, below, ttft_kernels),
                            unexplained(first_tokens.p95 - first_tokens.p50, above, ttft_kernels));
  return error;
}

bool says_first_tokens(const CalibrationError& e) { return e.first_token.p05 < 1 || e.first_token.p95 > 1; }

void take_first_tokens(CalibrationError& error, const CalibrationError& like, const std::string& name) {
  error.first_token = like.first_token;
  error.stalls_fraction = like.stalls_fraction;
  error.source += "; first tokens as " + name;
}

template <class Belongs>
Members members_of(std::span<const ComparedFigure> figures, const std::string& engine, const Belongs& belongs) {
  Members out;
  for (const ComparedFigure& f : figures)
    if (f.error_fit && f.engine == engine && !f.saturated && f.forecast && belongs(f)) out.figures.push_back(&f);
  return out;
}

/// Of one engine, from the narrowest to the widest: the first that is of a pool counts.
class OwnErrors {
 public:
  OwnErrors(std::span<const ComparedFigure> figures, const std::string& engine)
      : figures_(figures), engine_(engine) {}

  std::vector<CalibrationError> all() {
    for (const char* layout : {"one", "routed", "apart"}) {
      for (const std::vector<std::string>& gpus : generations)
        for (const char* models : {"dense", "experts"}) {
          const bool open = add({.gpus = gpus, .models = models, .layout = layout, .load = "open"});
          add({.gpus = gpus, .models = models, .layout = layout, .load = open ? "closed" : "any"});
        }
      if (std::string_view(layout) != "one") add({.layout = layout});
    }
    add({.layout = "one"});
    if (!errors_.empty()) errors_.back().layout = "any";  // of layouts without entries, too
    return errors_;
  }

 private:
  Members members(const CalibrationError& of, const std::string& engine) const {
    return members_of(figures_, engine, [&](const ComparedFigure& f) {
      return of.is_of({.gpu = f.gpu, .experts = f.experts, .layout = f.layout, .load = f.load});
    });
  }
  Members members(const CalibrationError& of) const { return members(of, engine_); }

  /// All pools of an engine that those of `of` are held against. Other layouts have hops of their own; too few routed
  /// and disaggregated systems are known to do without others.
  Members every(const CalibrationError& of, const std::string& engine) const {
    return members({.layout = of.layout == "one" ? "one" : "any"}, engine);
  }

  /// How systems of other engines differ.
  Between of_others(const CalibrationError& of, Residuals (Members::*part)() const) const {
    std::set<std::string> others;
    for (const ComparedFigure& f : figures_) others.insert(f.engine);
    others.erase(engine_);
    std::vector<Between> all;
    for (const std::string& other : others) all.push_back(between_systems((every(of, other).*part)()));
    return pooled(all);
  }

  Quantiles of_new_system(const CalibrationError& of, const Members& own, Residuals (Members::*part)() const) const {
    return foreseen((own.*part)(), (every(of, engine_).*part)(), of_others(of, part));
  }

  CalibrationError entry_of(const CalibrationError& of, const Members& own) const {
    return entry(own, of_new_system(of, own, &Members::steps), of_new_system(of, own, &Members::first_tokens));
  }

  /// Systems of open loads have few rows each, and their medians say little of how systems differ: their first tokens
  /// are pulled to those of all open loads. False where there is too little of it.
  bool add(const CalibrationError& of) {
    const bool open = of.load == "open";
    const Members own = members(of);
    if (own.steps().size() < least_figures || (open && own.first_tokens().size() < least_figures)) return false;
    CalibrationError error = open ? entry(own, of_new_system(of, own, &Members::steps),
                                          pulled(own.first_tokens(), members({.load = "open"}).first_tokens()))
                                  : entry_of(of, own);
    const CalibrationError of_all = entry_of(of, every(of, engine_));
    if (!says_first_tokens(error) && says_first_tokens(of_all)) take_first_tokens(error, of_all, "all pools");
    error.gpus = of.gpus;
    error.models = of.models;
    error.layout = of.layout;
    error.load = of.load;
    errors_.push_back(std::move(error));
    return true;
  }

  std::span<const ComparedFigure> figures_;
  const std::string& engine_;
  std::vector<CalibrationError> errors_{};
};

std::vector<CalibrationError> own_errors(std::span<const ComparedFigure> figures, const std::string& engine) {
  return OwnErrors(figures, engine).all();
}

const char* neighbour_of(const std::string& engine) {
  const auto found = std::ranges::find_if(neighbours, [&](const Neighbour& n) { return engine == n.engine; });
  return found == neighbours.end() ? nullptr : found->like;
}

}  // namespace

std::string without_errors(const std::string& file) {
  const std::string text = read_whole(file, settings_mib);
  const std::size_t errors = text.find("\nerrors:");
  return errors == std::string::npos ? text : text.substr(0, errors + 1);
}

std::vector<CalibrationError> fit_errors(std::span<const ComparedFigure> figures, const std::string& engine) {
  std::vector<CalibrationError> errors = own_errors(figures, engine);
  const char* like = neighbour_of(engine);
  if (like == nullptr) return errors;
  const std::vector<CalibrationError> theirs = own_errors(figures, like);
  if (errors.empty()) {
    errors = theirs;
    for (CalibrationError& error : errors) error.source = fmt::format("{}: {}", like, error.source);
    return errors;
  }
  for (CalibrationError& error : errors)
    if (!says_first_tokens(error) && !theirs.empty()) take_first_tokens(error, theirs.back(), like);
  return errors;
}

std::string errors_yaml(std::span<const CalibrationError> errors) {
  const auto range_text = [](const ErrorRange& r) {
    return fmt::format("{{p05: {:.6g}, p50: {:.6g}, p95: {:.6g}}}", r.p05, r.p50, r.p95);
  };
  std::string text = errors.empty() ? "" : "errors:\n";
  for (const CalibrationError& e : errors)
    text += fmt::format(
        "  - gpus: [{}]\n    models: {}\n    layout: {}\n    load: {}\n    steps: {}\n    first_token: {}\n"
        "    stalls_fraction: {:.6g}\n    source: {}\n",
        fmt::join(e.gpus, ", "), e.models, e.layout, e.load, range_text(e.steps), range_text(e.first_token),
        e.stalls_fraction, yaml_text(e.source));
  return text;
}

}  // namespace servecast
