#pragma once
#include <deque>
#include <vector>

#include "sim/serving/resources/expert_timeline.h"

namespace servecast {

/// What is expected of the loads of one stage's layers while their step is planned: which guesses will be there when
/// their layer starts, and how long the others take. Goes as ExpertTimeline does on links that no other traffic uses
/// and that are idle when the step begins, so an answer depends on nothing but the step's own work.
class ExpertForecast {
 public:
  static constexpr double infinity = ExpertTimeline::infinity;

  ExpertForecast(const OwnLinks::Rates& links, std::size_t groups) : links_(groups, OwnLinks(links)) {}

  /// The next layer's gate, so long after the end of the layer before.
  void to_gate(double before_s);
  /// Whether a load of this layer is done, and whether it still waits for its turn.
  bool here(std::size_t layer, ExpertId expert) const;
  bool waits(std::size_t layer, ExpertId expert) const;
  void drop(std::size_t layer, ExpertId expert);

  struct Outlook {
    std::vector<double> left_s{};       // by expert of the layer: until it is there; infinite where nothing loads it
    std::vector<double> link_free_s{};  // by group: until all loads so far are done
  };
  /// From the gate on, if nothing is added.
  Outlook outlook(std::size_t layer, std::size_t experts) const;

  /// The layer's work, whose own loads and guesses queue up now. `visits` says which of its experts are waited for.
  void compute(const ExpertLayerWork& work, std::size_t layer, const std::vector<double>& visits);

 private:
  struct Arrival {
    ExpertLoad load{};
    double at_s = 0;
  };
  void run_to(double until_s);
  double next_s() const;
  void start_wanted();

  double now_s_ = 0;
  std::vector<OwnLinks> links_;
  std::deque<ExpertLoad> wanted_{};
  std::vector<Arrival> arrived_{};  // of this layer and later ones
};

}  // namespace servecast
