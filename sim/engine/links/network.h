#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/engine/links/flows.h"

namespace servecast {

struct PlatformLink;

/// The cluster's links in SimGrid. Flows that cross a link at the same time share it max-min fairly. The latency of a
/// path is a delay before the flow (Flows): links themselves have none, or SimGrid would weight the shares by it.
///
/// One actor uses it: it begins flows, and waits until a time or until some flow has ended, whichever is first. Every
/// flow under way has an actor that waits for its end; these are used again, and take little memory.
class Network final : public FlowCarrier {
 public:
  explicit Network(std::span<const PlatformLink> links);
  ~Network() override;

  /// The one actor. The engine has run when `body` returns, whatever is still under way.
  void add_actor(const std::string& name, const std::function<void()>& body);
  /// The engine has run: throws what ended an actor, if anything did.
  void rethrow() const;

  // From inside that actor:
  void begin(std::int64_t flow, const Transfer& transfer) override;
  void cancel(std::int64_t flow) override;
  void set_speed(std::size_t link, double bytes_per_s) override;
  bool idle() const;
  /// Waits until `at_s`; infinite: for flows only, of which one must then be under way. False where it came back
  /// early because a flow has ended.
  bool wait_until(double at_s);
  /// Flows that have ended since it was last asked, with SimGrid's clock.
  std::vector<EndedFlow> take_ended();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace servecast
