#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/ids.h"
#include "models/base/registry.h"
#include "models/base/rng.h"
#include "models/hw/llm/llm.h"

namespace servecast {

/// An expert of one layer, numbered from 0.
enum class ExpertId : std::uint16_t {};

/// One of the experts that a token is sent to, and its share of the gate: those of a token sum to 1.
struct ExpertChoice {
  ExpertId expert{};
  double gate = 0;
};

/// The experts of a model: `layers` counts those layers only that have any.
struct ExpertShape {
  std::int64_t layers = 0;
  std::int64_t experts = 0;
  std::int64_t active = 0;  // per token
  bool operator==(const ExpertShape&) const = default;
};

inline ExpertShape expert_shape(const Llm& llm) {
  if (!llm.experts) return {};
  return {.layers = llm.expert_layers(), .experts = llm.experts->count, .active = llm.experts->active};
}

/// Which experts the tokens of some generations were sent to: [token][layer][rank], highest gate first.
struct RoutingTrace {
  static constexpr std::int64_t most_experts = 256;  // of a layer: one is held in a byte

  ExpertShape shape{};
  std::vector<std::uint8_t> experts{};
  std::vector<std::uint8_t> gates{};        // x 255; those of a token and layer sum to about 255
  std::vector<std::int64_t> first_token{};  // of each generation, and behind the last one the number of tokens

  std::int64_t tokens() const { return first_token.empty() ? 0 : first_token.back(); }
  std::int64_t generations() const { return static_cast<std::int64_t>(first_token.size()) - 1; }
  /// Where the choices of a token in a layer begin.
  std::size_t at(std::int64_t token, std::int64_t layer) const {
    return static_cast<std::size_t>((token * shape.layers + layer) * shape.active);
  }
};

/// How often experts were chosen, in those layers of a model that were counted.
struct ExpertCounts {
  struct Layer {
    std::int64_t layer = 0;
    std::vector<double> counts{};  // by expert
  };
  struct Pair {  // counts[i * experts + j]: expert i of one layer, and of the same token, expert j of a later layer
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::vector<double> counts{};
  };
  std::vector<Layer> layers{};  // by rising layer
  std::vector<Pair> pairs{};
};

/// Files that a routing wants read.
struct RoutingFiles {
  std::string trace{};          // folder of a routing trace
  std::string counts{};         // table of expert counts
  std::string co_activation{};  // table of counts of pairs; may be left out
  std::string model{};          // only rows of this model and domain, where the tables have such columns
  std::string domain{};
};

struct RoutingData {
  std::optional<RoutingTrace> trace{};
  std::optional<ExpertCounts> counts{};
};

/// A token of a request: 0 is the first of its prompt.
struct RoutedToken {
  RequestId request{};
  std::int64_t position = 0;
};

/// Says which experts each token is sent to. One instance serves one replica and is asked once for each token that is
/// computed there, those of a request in their order.
class ExpertRouting {
 public:
  static constexpr std::string_view kind = "expert_routing";
  static constexpr PolicyListing listing{"expert_routings", "which experts tokens are sent to"};
  virtual ~ExpertRouting() = default;

  virtual RoutingFiles files() const { return {}; }
  /// What does not fit: asked once, when the scenario is loaded, with what the files held.
  virtual std::optional<std::string> problem(const ExpertShape&, const RoutingData&) const { return std::nullopt; }
  /// Before all tokens. The data outlive the routing.
  virtual void resize(const ExpertShape&, const RoutingData&, Rng&) = 0;
  /// Fills in shape.layers x shape.active choices: layer by layer, highest gate first, none twice in a layer.
  virtual void route(const RoutedToken&, Rng&, std::span<ExpertChoice> choices) = 0;
  /// The request has left: its tokens are not asked for any more.
  virtual void forget(RequestId) {}
};

}  // namespace servecast
