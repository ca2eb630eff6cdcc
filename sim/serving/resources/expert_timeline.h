#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "models/policy/expert_routing.h"

namespace servecast {

/// One expert on its way to the GPUs' memory.
struct ExpertLoad {
  std::int64_t step = 0;  // which one asked for it
  std::size_t stage = 0;  // its GPUs have the layer
  std::size_t layer = 0;  // of that step's work
  std::size_t group = 0;  // of the stage's GPUs, that has the expert
  ExpertId expert{};
  bool from_disk = false;  // else from host memory
  double bytes = 0;        // of all GPUs' slices together
  bool needed = true;      // false: a guess that its layer does not wait for
  bool dropped = false;    // such a guess, taken out of the queue when its layer starts
  double start_s = 0;      // until its first byte moves
};

/// Takes the first load out of a queue that goes to one of `groups` that `takes` another; nothing where none does.
/// The queue may be long with wrong guesses: where no group takes any it is not walked.
template <class Takes>
std::optional<ExpertLoad> take_first(std::deque<ExpertLoad>& queue, std::size_t groups, Takes takes) {
  std::size_t group = 0;
  while (group < groups && !takes(group)) ++group;
  if (group == groups) return std::nullopt;
  const auto next = std::ranges::find_if(queue, takes, &ExpertLoad::group);
  if (next == queue.end()) return std::nullopt;
  const ExpertLoad load = *next;
  queue.erase(next);
  return load;
}

/// What GPUs do in one layer with the experts that they have.
struct ExpertGroupWork {
  double resident_s = 0;      // experts that are in the GPUs' memory when the step begins
  double each_s = 0;          // one that comes later, once it is there
  std::int64_t expected = 0;  // loads that the layer waits for, those guessed before included
};

/// What a step does in one layer with experts, and its share of everything else in the step.
struct ExpertLayerWork {
  double before_s = 0;                     // until its gate is known
  double host_s = 0;                       // what the host computes, beside the GPUs
  std::vector<ExpertGroupWork> groups{1};  // of GPUs that have experts of their own; the slowest counts
  std::vector<ExpertLoad> loads{};  // wanted at the gate: first what this layer misses, then guesses for the next

  /// With everything in time, on GPUs that take `stretch` times as long.
  double least_s(double stretch = 1) const {
    double until_s = host_s;
    for (const ExpertGroupWork& group : groups)
      until_s = std::max(until_s, stretch * (group.resident_s + static_cast<double>(group.expected) * group.each_s));
    return stretch * before_s + until_s;
  }
};

/// A step of a model whose experts are partly elsewhere, as it goes: layer after layer, each waiting for the experts
/// that it needs. Decides nothing and knows no links: it says which loads are wanted, and hears when they are done.
class ExpertTimeline {
 public:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  /// The first of `layers`, which outlive it, is number `first` of its step; the GPU takes `stretch` times as long.
  void start(std::span<const ExpertLayerWork> layers, double now_s, std::size_t first = 0, double stretch = 1);
  bool done() const { return layer_ == layers_.size(); }
  /// When done.
  double end_s() const { return due_s_; }
  /// When it goes on of itself; infinite while it waits for a load.
  double next_s() const { return done() ? infinity : due_s_; }
  /// Everything that is due at this instant; requires next_s() <= now_s.
  void go_on(double now_s);
  /// A load of this step is done.
  void arrived(const ExpertLoad& load, double now_s);
  /// The next load that is wanted, has not been taken yet and goes to a group that `takes` another.
  template <class Takes>
  std::optional<ExpertLoad> take_wanted(Takes takes) {
    return take_first(wanted_, groups_, takes);
  }

 private:
  void reach_gate(double now_s);
  void wait_or_finish();

  std::span<const ExpertLayerWork> layers_{};
  std::size_t first_ = 0;
  double stretch_ = 1;
  std::size_t layer_ = 0;
  bool past_gate_ = false;
  double due_s_ = infinity;
  double host_until_s_ = 0;
  std::size_t groups_ = 1;
  std::vector<double> gpu_until_s_{};  // by group, with all that has arrived
  std::vector<std::int64_t> here_{};   // by layer and group: loads that it waits for and that have arrived
  std::deque<ExpertLoad> wanted_{};
};

/// The links of a group of GPUs while nothing else uses them: loads in order, so many at a time, which share the
/// links max-min fairly.
class OwnLinks {
 public:
  struct Rates {
    double host_bytes_per_s = 0;  // to all its GPUs together
    double disk_bytes_per_s = 0;
    std::int64_t streams = 1;
    double start_s = 0;  // of a copy
  };
  explicit OwnLinks(const Rates& rates) : rates_(rates) {}

  bool has_free_stream() const { return static_cast<std::int64_t>(active_.size()) < rates_.streams; }
  /// Starts at the current instant.
  void begin(const ExpertLoad& load) { active_.push_back({load, load.bytes, now_s_ + load.start_s}); }
  /// When the next load is done, or begins to move; infinite without any.
  double next_s() const;
  /// To `now_s`, which is not after next_s(). Returns the loads that are done then, in the order of their start.
  std::vector<ExpertLoad> move_to(double now_s);
  double now_s() const { return now_s_; }

  /// What is under way, with the bytes and the start that are left; it is forgotten here.
  std::vector<ExpertLoad> hand_over();

 private:
  struct Active {
    ExpertLoad load{};
    double left_bytes = 0;
    double moves_at_s = 0;
  };
  bool moves(const Active& active) const { return active.moves_at_s <= now_s_; }
  struct Shares {  // bytes/s of each load
    double from_host = 0;
    double from_disk = 0;
    double of(const ExpertLoad& load) const { return load.from_disk ? from_disk : from_host; }
  };
  Shares shares() const;

  Rates rates_;
  double now_s_ = 0;
  std::vector<Active> active_{};
};

/// Plays a step on own links, by group, until `until_s` or its end. Returns when the step has ended; nothing where it
/// has not.
std::optional<double> play(ExpertTimeline& step, std::span<OwnLinks> links, std::int64_t number, double until_s);

}  // namespace servecast
