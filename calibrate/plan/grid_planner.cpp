#include "calibrate/plan/grid_planner.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace servecast {
namespace {

/// What a measurement costs beside its calls: buffers, random data, warm-up.
constexpr double preparation_s = 0.05;
constexpr double usual_runs = 50;
/// No GPU that this is for is slower than so: how long something may take of which little is known.
constexpr double least_flop_per_s = 10e12;
constexpr double least_bytes_per_s = 100e9;
constexpr double least_host_bytes_per_s = 2e9;  // of copies to and from the host
constexpr double longest_launch_s = 50e-6;
/// Share of the variance that a measurement does not take away.
constexpr double noise_variance = 1e-4;

/// How much more work `to` is than `from`, by the operator's own count.
double work_ratio(const MeasureTarget& to, const MeasureTarget& from) {
  const OperatorKind& kind = *operator_kind(to.op);
  const NumberSizes numbers = number_sizes(to.dtype, to.kv_dtype);
  const KernelWork more = kind.work(to.shape, numbers);
  const KernelWork less = kind.work(from.shape, numbers);
  const double flop = less.flop > 0 ? more.flop / less.flop : 0;
  const double bytes = less.bytes > 0 ? more.bytes / less.bytes : 0;
  return std::max(flop, bytes);
}

/// Without its launch, at the least rates.
double longest_work_s(const MeasureTarget& target) {
  const KernelWork work = operator_kind(target.op)->work(target.shape, number_sizes(target.dtype, target.kv_dtype));
  const bool host = target.op == "h2d" || target.op == "d2h";
  return work.flop / least_flop_per_s + work.bytes / (host ? least_host_bytes_per_s : least_bytes_per_s);
}

double covariance(const std::vector<double>& a, const std::vector<double>& b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return std::exp(-square / 2);
}

}  // namespace

GridPlanner::GridPlanner(std::vector<Series> series)
    : series_(std::move(series)), known_(series_.size()), stale_(series_.size(), true) {
  for (std::size_t s = 0; s < series_.size(); ++s) {
    assert(operator_kind(series_[s].like.op) != nullptr);
    first_.push_back(points_.size());
    std::size_t count = 1;
    for (const SeriesAxis& axis : series_[s].axes) count *= axis.values.size();
    for (std::size_t i = 0; i < count; ++i) {
      Point point{.series = s, .target = series_[s].like};
      std::size_t rest = i;
      for (const SeriesAxis& axis : series_[s].axes) {
        point.indices.push_back(rest % axis.values.size());
        point.target.shape.*axis.size = axis.values[point.indices.back()];
        rest /= axis.values.size();
      }
      if (series_[s].complete != nullptr) series_[s].complete(point.target.shape);
      point.place = place_of(point);
      index_[point.target] = points_.size();
      points_.push_back(std::move(point));
    }
  }
  first_.push_back(points_.size());
}

GridPlanner::Point* GridPlanner::find(const MeasureTarget& target) {
  const auto found = index_.find(target);
  return found != index_.end() ? &points_[found->second] : nullptr;
}

void GridPlanner::learn(const MeasureTarget& target, double seconds) {
  if (Point* point = find(target)) {
    point->seconds = seconds;
    auto& known = known_[point->series];
    const auto index = static_cast<std::size_t>(point - points_.data());
    const auto at = std::ranges::lower_bound(known, index);
    if (at == known.end() || *at != index) known.insert(at, index);
    stale_[point->series] = true;
  }
}

void GridPlanner::give_up(const MeasureTarget& target) {
  if (Point* point = find(target)) point->given_up = true;
}

bool GridPlanner::is_corner(const Point& point) const {
  for (std::size_t axis = 0; axis < point.indices.size(); ++axis)
    if (point.indices[axis] != 0 && point.indices[axis] + 1 != series_[point.series].axes[axis].values.size())
      return false;
  return true;
}

std::vector<double> GridPlanner::place_of(const Point& point) const {
  std::vector<double> place;
  for (std::size_t axis = 0; axis < point.indices.size(); ++axis) {
    const auto& values = series_[point.series].axes[axis].values;
    const auto log_of = [&](std::size_t i) { return std::log2(static_cast<double>(values[i])); };
    const double length = std::max(log_of(values.size() - 1) - log_of(0), 1.0) / 2;
    place.push_back((log_of(point.indices[axis]) - log_of(0)) / length);
  }
  return place;
}

/// From the nearest that was measured: as many times as long as it is more work, or what that much work takes at the
/// least rates.
double GridPlanner::expected_s(const Point& point) const {
  if (point.seconds > 0) return point.seconds;
  const double at_least_rates_s = longest_work_s(point.target);
  double best = 0;
  double seconds = longest_launch_s + at_least_rates_s;
  for (const std::size_t i : known_[point.series]) {
    const Point& known = points_[i];
    const double likeness = covariance(point.place, known.place);
    if (likeness <= best) continue;
    best = likeness;
    seconds = known.seconds +
              std::min(at_least_rates_s, known.seconds * std::max(0.0, work_ratio(point.target, known.target) - 1));
  }
  return seconds;
}

double GridPlanner::cost_s(const Point& point) const { return preparation_s + usual_runs * expected_s(point); }

double GridPlanner::expected_cost_s(const MeasureTarget& target) const { return cost_s(points_[index_.at(target)]); }

std::optional<MeasureTarget> GridPlanner::next(double most_s) {
  if (auto corner = next_corner(most_s)) return corner;
  if (auto knee = next_knee(most_s)) return knee;
  return next_uncertain(most_s);
}

std::optional<MeasureTarget> GridPlanner::next_corner(double most_s) {
  const Point* best = nullptr;
  std::size_t best_turn = 0;
  for (std::size_t s = 0; s < series_.size(); ++s) {
    std::size_t turn = 0;
    for (std::size_t i = first_[s]; i < first_[s + 1]; ++i) {
      if (!is_corner(points_[i])) continue;
      if (points_[i].open() && (best == nullptr || turn < best_turn) && cost_s(points_[i]) <= most_s) {
        best = &points_[i];
        best_turn = turn;
      }
      ++turn;
    }
  }
  return best != nullptr ? std::optional(best->target) : std::nullopt;
}

GridPlanner::Point& GridPlanner::point_at(std::size_t series, const std::vector<std::size_t>& at) {
  std::size_t offset = 0;
  for (std::size_t axis = at.size(); axis-- > 0;)
    offset = offset * series_[series].axes[axis].values.size() + at[axis];
  return points_[first_[series] + offset];
}

/// Along `axis` from a corner at its lower end; null where an end was not measured or nothing lies between.
GridPlanner::Point* GridPlanner::knee_along(std::size_t series, const Point& corner, std::size_t axis) {
  const auto& values = series_[series].axes[axis].values;
  std::vector<std::size_t> at = corner.indices;
  at[axis] = values.size() - 1;
  const Point& end = point_at(series, at);
  if (corner.seconds == 0 || end.seconds == 0 || values.size() < 3) return nullptr;
  const double bend = static_cast<double>(values.back()) * corner.seconds / end.seconds;
  std::size_t nearest = 1;
  const auto distance = [&](std::size_t i) { return std::abs(std::log(static_cast<double>(values[i]) / bend)); };
  for (std::size_t i = 1; i + 1 < values.size(); ++i)
    if (distance(i) < distance(nearest)) nearest = i;
  at[axis] = nearest;
  return &point_at(series, at);
}

std::optional<MeasureTarget> GridPlanner::next_knee(double most_s) {
  for (std::size_t s = 0; s < series_.size(); ++s)
    for (std::size_t i = first_[s]; i < first_[s + 1]; ++i) {
      if (!is_corner(points_[i])) continue;
      for (std::size_t axis = 0; axis < series_[s].axes.size(); ++axis) {
        if (points_[i].indices[axis] != 0) continue;
        const Point* knee = knee_along(s, points_[i], axis);
        if (knee != nullptr && knee->open() && cost_s(*knee) <= most_s) return knee->target;
      }
    }
  return std::nullopt;
}

void GridPlanner::refresh(std::size_t series) {
  const std::vector<std::size_t>& known = known_[series];
  const auto count = static_cast<Eigen::Index>(known.size());
  const auto place = [&](Eigen::Index i) -> const auto& { return points_[known[static_cast<std::size_t>(i)]].place; };
  Eigen::MatrixXd all(count, count);
  for (Eigen::Index a = 0; a < count; ++a)
    for (Eigen::Index b = 0; b < count; ++b)
      all(a, b) = covariance(place(a), place(b)) + (a == b ? noise_variance : 0);
  const Eigen::LLT<Eigen::MatrixXd> factor(all);
  for (std::size_t i = first_[series]; i < first_[series + 1]; ++i) {
    Point& point = points_[i];
    if (!point.open()) continue;
    Eigen::VectorXd to_known(count);
    for (Eigen::Index a = 0; a < count; ++a) to_known(a) = covariance(point.place, place(a));
    point.variance = count > 0 ? 1 - to_known.dot(factor.solve(to_known)) : 1;
    point.cost_s = cost_s(point);
  }
  stale_[series] = false;
}

std::optional<MeasureTarget> GridPlanner::next_uncertain(double most_s) {
  const Point* best = nullptr;
  double best_rate = -std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < series_.size(); ++s) {
    if (stale_[s]) refresh(s);
    for (std::size_t i = first_[s]; i < first_[s + 1]; ++i) {
      if (!points_[i].open()) continue;
      const double rate = points_[i].variance / points_[i].cost_s;
      if (points_[i].cost_s <= most_s && rate > best_rate) {
        best = &points_[i];
        best_rate = rate;
      }
    }
  }
  return best != nullptr ? std::optional(best->target) : std::nullopt;
}

}  // namespace servecast
