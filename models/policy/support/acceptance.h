#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "models/base/ids.h"

namespace servecast {

/// How many drafted tokens a model takes over.
struct AcceptanceSettings {
  std::vector<double> by_position{0.0};
  std::optional<double> rate_fraction{};
  std::string trace{};

  void fields(Fields& f) {
    f.field("by_position", by_position,
            "chance, 0 to 1, that the first, second, ... draft of a step is taken over if all before it were; beyond "
            "the last, the last one");
    f.field("rate_fraction", rate_fraction, "the same chance for every position, in place of by_position", fraction);
    f.field("trace", trace,
            "file with the drafts taken over in successive steps, one number a line; in place of both. A request "
            "starts somewhere in it and goes round");
  }
  std::optional<std::string> problem() const;
};

/// What one step checks of one sequence.
struct Drafts {
  RequestId request{};
  std::int64_t made = 0;   // output tokens before
  std::int64_t steps = 0;  // that checked drafts before
  std::int64_t count = 0;
};

/// Tells for every token of every request whether a draft of it would be taken over. It depends on nothing but the
/// seed, the request and the token's place in the output, so neither the load nor a preemption nor another draft
/// length changes what a request meets. (With a trace it depends on the number of steps in place of the token's
/// place.)
class Acceptance {
 public:
  /// `trace` is what the file holds that the settings name.
  Acceptance(const AcceptanceSettings& settings, std::vector<std::int64_t> trace, std::uint64_t key);

  /// How many of them are taken over. The model's own token follows.
  std::int64_t accepted(const Drafts& drafts) const;
  /// Its mean, over many steps.
  double mean_accepted(std::int64_t drafts) const;

 private:
  double chance(std::int64_t position) const;

  std::vector<double> by_position_;
  std::vector<std::int64_t> trace_;
  std::uint64_t key_;
};

}  // namespace servecast
