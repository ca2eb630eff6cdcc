#pragma once
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

namespace servecast {

/// Time in whole 2^-30 s (0.93 ns). Sums of ticks are exact in any order: a queue that is empty shows 0 and not
/// 1e-17, and a GPU that worked the whole second shows 1.
using Ticks = std::int64_t;
inline constexpr int second_bits = 30;
inline constexpr Ticks ticks_per_s = Ticks{1} << second_bits;

inline Ticks to_ticks(double time_s) {
  assert(time_s >= 0);
  return static_cast<Ticks>(time_s * static_cast<double>(ticks_per_s) + 0.5);
}
inline double to_seconds(Ticks ticks) { return static_cast<double>(ticks) / static_cast<double>(ticks_per_s); }
inline std::size_t second_of(Ticks ticks) { return static_cast<std::size_t>(ticks >> second_bits); }

/// The seconds that a run of this length is cut into: one each, the last one as long as what is left.
struct Seconds {
  explicit Seconds(double duration_s) : end(to_ticks(duration_s)) {}

  std::size_t count() const { return std::max<std::size_t>(1, second_of(end + ticks_per_s - 1)); }
  /// Length of the i-th; above 0, so that it can be divided by.
  Ticks width(std::size_t i) const {
    return i + 1 < count() || end == 0 ? ticks_per_s : end - static_cast<Ticks>(i) * ticks_per_s;
  }

  Ticks end;
};

/// How much of something there was in each second (requests waiting, say), given as intervals [from, to) with a
/// weight. However long an interval is, it costs four additions.
///
/// An interval is a step up at `from` and a step down at `to`. A step up of w at a time inside second i adds
/// w x (rest of second i) to that second and w to every later one; the latter is kept as a difference to the second
/// before and summed up when read.
class IntervalSum {
 public:
  void add(double from_s, double to_s, std::int64_t weight = 1) {
    assert(from_s <= to_s);
    step(to_ticks(from_s), weight);
    step(to_ticks(to_s), -weight);
  }

  /// Mean over each second of the run.
  std::vector<double> means(Seconds seconds) const {
    std::vector<double> out(seconds.count());
    std::int64_t level = 0;
    for (std::size_t i = 0; i < out.size() && i < edges_.size(); ++i) {
      level += edges_[i].step_before;
      const Ticks integral = edges_[i].inside + level * ticks_per_s;
      out[i] = static_cast<double>(integral) / static_cast<double>(seconds.width(i));
    }
    assert(level == 0 || edges_.size() > out.size());  // what rose came down, here or after the run's end
    return out;
  }

 private:
  struct Edge {
    Ticks inside = 0;              // weight x ticks, of steps inside this second
    std::int64_t step_before = 0;  // how much higher the level is than in the second before
  };

  void step(Ticks at, std::int64_t weight) {
    const std::size_t i = second_of(at);
    if (edges_.size() < i + 2) edges_.resize(i + 2);
    edges_[i].inside += weight * (static_cast<Ticks>(i + 1) * ticks_per_s - at);
    edges_[i + 1].step_before += weight;
  }

  std::vector<Edge> edges_;
};

}  // namespace servecast
