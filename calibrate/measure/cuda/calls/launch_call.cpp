#include "calibrate/measure/cuda/calls/call.h"
#include "kernels/elementwise/empty.h"

namespace servecast {
namespace {

/// Kernels that do nothing, one after the other: what is left is their starting, by the host or by a graph.
class LaunchCall final : public Call {
 public:
  LaunchCall(std::int64_t count, bool graph) : count_(count), graph_(graph) {}
  void start(Stream stream) override {
    for (std::int64_t i = 0; i < count_; ++i) start_empty(stream);
  }
  std::int64_t bytes() const override { return std::int64_t{1} << 40; }  // nothing that a cache could keep
  CallTime time() const override { return CallTime::span; }
  bool replayed() const override { return graph_; }

 private:
  std::int64_t count_;
  bool graph_;
};

}  // namespace

std::unique_ptr<Call> make_launches(const MeasureTarget& target, const CallContext&) {
  return std::make_unique<LaunchCall>(target.shape.m, target.mode == "graph");
}

}  // namespace servecast
