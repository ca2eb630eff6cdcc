#pragma once
#include <map>
#include <optional>
#include <vector>

#include "calibrate/plan/series.h"

namespace servecast {

/// Says which target to measure next, so that what is known of the series grows fastest per second of the GPU:
///
/// 1. the corners of each series, one of each in turn;
/// 2. knees: along an axis that was measured at both ends, a time that stays at its lower end and then rises in
/// proportion would
///    bend where those two lines meet: the size nearest to that is measured;
/// 3. then whatever has the largest variance per expected second. The variance is that of a Gaussian process over the
///    logarithms of the sizes with a squared exponential kernel (Rasmussen and Williams 2006, equation 2.26), half an
///    axis being its length; it depends on where was measured, not on what.
///
/// The answer follows from what was learnt and given up, not from the order of it: a measurement that was cut short
/// goes on as if it had not been.
class GridPlanner {
 public:
  explicit GridPlanner(std::vector<Series> series);

  /// What is expected to cost up to `most_s`; none when nothing is left that does.
  std::optional<MeasureTarget> next(double most_s);
  /// Seconds that measuring it takes, as far as is known: that many calls and what comes before.
  double expected_cost_s(const MeasureTarget& target) const;

  /// Targets of no series are ignored.
  void learn(const MeasureTarget& target, double seconds);
  /// Not to be asked for again: it cannot be measured here.
  void give_up(const MeasureTarget& target);

  std::size_t targets() const { return points_.size(); }

 private:
  struct Point {
    std::size_t series = 0;
    std::vector<std::size_t> indices{};  // index along each axis
    std::vector<double> place{};  // along each axis in units of the kernel's length, half the axis in logarithms
    MeasureTarget target{};
    double seconds = 0;  // 0: not measured
    bool given_up = false;
    double variance = 1;  // of the logarithm of its time, before anything is measured 1
    double cost_s = 0;
    bool open() const { return seconds == 0 && !given_up; }
  };
  Point* find(const MeasureTarget& target);
  std::optional<MeasureTarget> next_corner(double most_s);
  std::optional<MeasureTarget> next_knee(double most_s);
  std::optional<MeasureTarget> next_uncertain(double most_s);
  void refresh(std::size_t series);
  Point* knee_along(std::size_t series, const Point& corner, std::size_t axis);
  Point& point_at(std::size_t series, const std::vector<std::size_t>& at);
  bool is_corner(const Point& point) const;
  double expected_s(const Point& point) const;
  double cost_s(const Point& point) const;
  std::vector<double> place_of(const Point& point) const;

  std::vector<Series> series_;
  std::vector<Point> points_;
  std::vector<std::size_t> first_;  // point of each series, and the end
  std::map<MeasureTarget, std::size_t> index_;
  std::vector<std::vector<std::size_t>> known_;  // of each series: points that were measured, in their order
  std::vector<bool> stale_;                      // series whose variances and costs are those of before
};

}  // namespace servecast
