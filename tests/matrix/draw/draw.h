#pragma once
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "models/base/rng.h"

namespace servecast::matrix {

/// A scenario, or a part of one, before it is written as YAML.
using Tree = nlohmann::ordered_json;

/// Choices from one seed. Each place of a scenario has a stream of its own, so that a policy that is added, or
/// another feature that is drawn, shifts nothing elsewhere: the other choices of a seed stay as they are.
class Draw {
 public:
  explicit Draw(std::uint64_t seed, std::string place = "") : Draw(seed, place, Rng(seed, "matrix" + place)) {}

  Draw at(const std::string& below) const { return Draw(seed_, place_ + "/" + below); }
  bool chance(double share) { return rng_.uniform() < share; }
  /// Of a list that is not empty.
  template <class List>
  auto pick(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(rng_.below(std::size(list))));
  }
  /// Both included.
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(most - least + 1)));
  }

 private:
  Draw(std::uint64_t seed, std::string place, Rng rng)
      : seed_(seed), place_(std::move(place)), rng_(std::move(rng)) {}

  std::uint64_t seed_;
  std::string place_;
  Rng rng_;
};

}  // namespace servecast::matrix
