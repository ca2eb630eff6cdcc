#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/ids.h"

namespace servecast {

/// A target of a request: the pools in their order, then the gateway's API tiers in theirs.
enum class TargetId : std::uint16_t {};

/// How good answers are: the expected score of a target's answers, 0 to 1, for each class of requests. A table of the
/// scenario; nothing is made up where it has no entry.
class AnswerQuality {
 public:
  /// For requests of one class, or, without one, of every class that has no entry of its own.
  void set(TargetId target, std::optional<ClassId> request_class, double score) {
    scores_[{index(target), request_class ? static_cast<std::int64_t>(index(*request_class)) : any_class}] = score;
  }
  bool empty() const { return scores_.empty(); }

  std::optional<double> score(TargetId target, ClassId request_class) const {
    for (const std::int64_t of : {static_cast<std::int64_t>(index(request_class)), any_class})
      if (const auto found = scores_.find({index(target), of}); found != scores_.end()) return found->second;
    return std::nullopt;
  }

 private:
  static constexpr std::int64_t any_class = -1;
  std::map<std::pair<std::size_t, std::int64_t>, double> scores_;
};

}  // namespace servecast
