#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "models/base/rng.h"
#include "sim/input/scenario/gpu_places.h"
#include "sim/input/specs/failure_spec.h"

namespace servecast {

/// What can break. GPUs and network ports are named by their node and their number there, the rest by `number`.
struct BreakablePart {
  enum class Kind : std::uint8_t { node, gpu, nic, link, switch_, trunk, storage, replica };
  Kind kind = Kind::node;
  std::int64_t node = 0;
  std::int64_t number = 0;
  auto operator<=>(const BreakablePart&) const = default;
};

/// The words of `failures.rates[].part`, by Kind; a replica's engine fails in scripts alone.
BreakablePart::Kind kind_of(const std::string& word);
const char* word_of(BreakablePart::Kind kind);

/// Something breaks or turns slow, or is as it was.
struct PartChange {
  double at_s = 0;
  BreakablePart part{};
  bool begins = true;
  bool warns = false;                      // it will break
  std::optional<FailureEventSpec> slow{};  // how slow; none: out of service
};

/// When what breaks and is repaired: a script, and for each kind of part with a rate a stream of random times of its
/// own. Up and down times of a part are exponential, each by itself.
class FailureTimes {
 public:
  explicit FailureTimes(std::uint64_t seed) : seed_(seed) {}
  void add(const FailureEventSpec& event);
  void add(const FailureRateSpec& rate, const std::vector<BreakablePart>& parts);

  double next_s() const;
  /// What changes next; requires next_s() to be finite.
  PartChange take();

 private:
  struct Rate {
    double mtbf_s = 0;
    double mttr_s = 0;
    double notice_s = 0;
    Rng rng;
  };
  struct Due {
    PartChange change{};
    std::int64_t order = 0;  // of instants that are the same: first come, first served
    std::optional<std::size_t> rate{};
    bool operator<(const Due& other) const {  // the earliest on top
      return std::tie(change.at_s, order) > std::tie(other.change.at_s, other.order);
    }
  };
  void push(const PartChange& change, std::optional<std::size_t> rate);

  std::uint64_t seed_;
  std::vector<Rate> rates_;
  std::priority_queue<Due> due_;
  std::int64_t pushed_ = 0;
};

}  // namespace servecast
