#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "calibrate/measure/activity_records.h"
#include "calibrate/measure/cuda/device/buffers.h"
#include "calibrate/measure/cuda/libraries/libraries.h"
#include "kernels/device/stream.h"

namespace servecast {

inline constexpr std::int64_t bf16_size = 2;  // bytes

/// A target with buffers of its own.
class Call {
 public:
  virtual ~Call() = default;
  /// Starts it; `stream` is the one that the bench waits for.
  virtual void start(Stream stream) = 0;
  /// What it reads and writes: how many of them it takes to be larger than the L2.
  virtual std::int64_t bytes() const = 0;
  virtual CallTime time() const { return CallTime::busy; }
  /// True for calls of several kernels whose gaps are to be those of a CUDA graph, not of launches by the host. All
  /// of it then goes through the stream of start().
  virtual bool replayed() const { return false; }
  /// Of the library that does the work; empty: ours.
  virtual std::string version() const { return ""; }
};

struct CallContext {
  Rng& rng;
  Libraries& libraries;
  int processors = 1;    // SMs
  bool has_fp8 = false;  // matrix instructions for it
};

/// Null where no kernel is built for the target, or this machine lacks what it takes. They throw NoRoom.
std::unique_ptr<Call> make_product(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_library_product(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_attention(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_elementwise(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_sampling(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_expert_layer(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_expert_rows(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_host_copy(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_block_copy(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_device_copy(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_peer_copy(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_launches(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_collective(const MeasureTarget& target, const CallContext& context);

/// Every block once, in random order: where an engine's allocator leaves them after a while.
std::vector<std::int32_t> scattered(std::int64_t blocks, Rng& rng);

}  // namespace servecast
