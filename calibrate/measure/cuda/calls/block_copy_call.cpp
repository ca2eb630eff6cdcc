#include <cuda_runtime.h>

#include "calibrate/measure/cuda/calls/call.h"
#include "calibrate/measure/cuda/device/host_buffer.h"
#include "kernels/attention/kv_gather.h"

namespace servecast {
namespace {

constexpr std::int64_t pool_per_block = 4;        // of which one is moved

/// Blocks that lie scattered in a pool on the device, moved to or from one place there or on the host: by one kernel,
/// by a kernel and one copy, or by a copy each.
class BlockCopyCall final : public Call {
 public:
  struct Way {
    bool kernel = false;   // else a copy for each block
    bool host = false;     // the one place is there
    bool scatter = false;  // from the one place into the pool
  };
  BlockCopyCall(std::int64_t blocks, std::int64_t block_bytes, const Way& way, Rng& rng)
      : way_(way),
        blocks_(blocks),
        block_bytes_(block_bytes),
        order_(scattered(blocks * pool_per_block, rng)),
        pool_(random_buffer(blocks * pool_per_block * block_bytes, Random::bytes, rng)),
        together_(random_buffer(blocks * block_bytes, Random::bytes, rng)),
        table_(copy_of(std::span(order_).first(static_cast<std::size_t>(blocks)))),
        host_(way.host ? std::make_unique<HostBuffer>(blocks * block_bytes, true) : nullptr) {}
  void start(Stream stream) override {
    if (!way_.kernel) return copy_each(stream);
    const KvGather gather{.from = way_.scatter ? together_.data() : pool_.data(),
                          .to = way_.scatter ? pool_.data() : together_.data(),
                          .blocks = static_cast<const std::int32_t*>(table_.data()),
                          .count = static_cast<int>(blocks_),
                          .block_bytes = block_bytes_};
    if (way_.host && way_.scatter) copy(together_.data(), host_->data(), blocks_ * block_bytes_, stream);
    way_.scatter ? scatter_blocks(gather, stream) : gather_blocks(gather, stream);
    if (way_.host && !way_.scatter) copy(host_->data(), together_.data(), blocks_ * block_bytes_, stream);
  }
  std::int64_t bytes() const override { return 2 * blocks_ * block_bytes_; }
  /// Many small copies are mostly what lies between them.
  CallTime time() const override { return CallTime::span; }

 private:
  static void copy(void* to, const void* from, std::int64_t bytes, Stream stream) {
    check_cuda(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, stream),
               "cudaMemcpyAsync");
  }
  void copy_each(Stream stream) {
    char* together = way_.host ? host_->data() : static_cast<char*>(together_.data());
    for (std::int64_t i = 0; i < blocks_; ++i) {
      char* scattered_block = static_cast<char*>(pool_.data()) + order_[static_cast<std::size_t>(i)] * block_bytes_;
      char* block = together + i * block_bytes_;
      copy(way_.scatter ? scattered_block : block, way_.scatter ? block : scattered_block, block_bytes_, stream);
    }
  }

  Way way_;
  std::int64_t blocks_;
  std::int64_t block_bytes_;
  std::vector<std::int32_t> order_;
  DeviceBuffer pool_;
  DeviceBuffer together_;
  DeviceBuffer table_;
  std::unique_ptr<HostBuffer> host_;
};

}  // namespace

std::unique_ptr<Call> make_block_copy(const MeasureTarget& target, const CallContext& context) {
  const KernelShape& s = target.shape;
  if (target.op == "d2d")
    return std::make_unique<BlockCopyCall>(
        s.m, s.n,
        BlockCopyCall::Way{.kernel = target.mode != "gather_copies", .scatter = target.mode == "scatter_kernel"},
        context.rng);
  return std::make_unique<BlockCopyCall>(
      s.m, s.n,
      BlockCopyCall::Way{.kernel = target.mode == "pinned_gathered", .host = true, .scatter = target.op == "h2d"},
      context.rng);
}

}  // namespace servecast
