#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "models/base/registry.h"
#include "models/policy/expert_routing.h"

namespace servecast {

/// Where the expert that a token was sent to is computed.
enum class ServedBy : std::uint8_t {
  gpu,    // it is in the GPU's memory
  load,   // the layer waits until it is there: for what is left of a prefetch, or for a load that starts now
  host,   // the host computes it
  buddy,  // another expert that is in the GPU's memory stands in for it
  base,   // so does the one of the same number that it was tuned from, in the model that it was made from
  none    // it is left out
};

struct ServedChoice {
  ServedBy by = ServedBy::gpu;
  ExpertId expert{};    // the one that is computed; by `base`: the one asked for
  double likeness = 0;  // of a stand-in to the one asked for: 1 for the likest in its layer, 0 where nothing is known
};

/// What it takes to have one expert computed.
struct MissCosts {
  double expert_bytes = 0;
  double load_s = 0;         // of one expert over links that nothing else uses
  double host_expert_s = 0;  // the host reads one expert from its memory
  double host_token_s = 0;   // the host's arithmetic for one token and expert
};

/// One layer of a step, as it starts. Choices are those of token 0, then those of token 1 ..., `active` each, highest
/// gate first. Empty spans: one token each, nothing on its way, idle links.
struct MissView {
  std::int64_t layer = 0;
  std::size_t active = 0;
  std::span<const ExpertChoice> choices{};
  const std::vector<bool>& on_gpu;       // by expert: there
  std::span<const double> stands_for{};  // by token: how many it stands for
  std::span<const double> left_s{};  // by expert: until a prefetch under way is there; infinite where there is none
  std::vector<bool> base_on_gpu{};   // by expert: it is tuned, and the one that it was tuned from is there
  std::span<const double> link_free_s{};  // by link, in order of its share of the experts: until a new load may start
  MissCosts costs{};

  bool on_its_way(ExpertId expert) const {
    return !left_s.empty() && left_s[index(expert)] < std::numeric_limits<double>::infinity();
  }
};

/// Says what becomes of experts that are not in the GPU's memory when a layer asks for them.
class ExpertMiss {
 public:
  static constexpr std::string_view kind = "expert_miss";
  static constexpr PolicyListing listing{"expert_misses", "how experts that are not there are served"};
  virtual ~ExpertMiss() = default;

  /// What is wrong with the settings taken together; asked once, when the scenario is loaded.
  virtual std::optional<std::string> problem() const { return std::nullopt; }
  virtual bool computes_on_host() const { return false; }
  /// Before all steps, with a recording of the routing to learn from.
  virtual void prepare(const RoutingTrace& /*profile*/) {}
  /// Asked when a layer starts. `served` holds, for every choice, itself by `gpu` or by `load`; changes those that
  /// are to go another way. What stands in must be on the GPU, and not twice for a token.
  virtual void answer(const MissView& view, Rng& rng, std::span<ServedChoice> served) const = 0;
};

}  // namespace servecast
