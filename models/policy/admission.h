#pragma once
#include <optional>
#include <string>

#include "models/base/registry.h"
#include "models/policy/router.h"

namespace servecast {

/// Decides whether a pool takes a request on. One that it turns away gets HTTP 429 at once and costs nothing.
class Admission {
 public:
  static constexpr std::string_view kind = "admission";
  static constexpr PolicyListing listing{"admissions", "which requests a pool takes on"};
  virtual ~Admission() = default;

  /// Called once for every request that arrives at the pool, in order of arrival, before the router, which sees the
  /// same `replicas` (never empty). Those that will decode are replicas.decoding().
  virtual bool admits(const Request& request, const ReplicaViews& replicas) = 0;

  /// Where another pool decodes: asked again when the prompt is computed, before the KV is handed over.
  virtual bool admits_decode(const Request& /*request*/, const ReplicaViews& /*decoding*/) { return true; }

  /// What it looks at of a request beyond its size.
  virtual RequestNeeds needs() const { return {}; }

  /// False for a policy that never looks at the views' numbers and asks nothing.
  virtual bool reads_state() const { return true; }

  /// As Router::reads_kv().
  virtual bool reads_kv() const { return true; }

  /// What is wrong with the settings taken together; asked once, when the scenario is loaded.
  virtual std::optional<std::string> problem() const { return std::nullopt; }
};

}  // namespace servecast
