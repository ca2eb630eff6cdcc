#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "calibrate/measure/cuda/calls/call.h"
#include "calibrate/measure/cuda/device/side_streams.h"

namespace servecast {
namespace {

std::vector<int> first_devices(std::int64_t ranks) {
  std::vector<int> devices(static_cast<std::size_t>(ranks));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

/// One rank a GPU, all from this process. `bytes`: of the whole vector.
class CollectiveCall final : public Call {
 public:
  CollectiveCall(const MeasureTarget& target, Nccl& nccl, Rng& rng)
      : op_(target.op),
        bytes_(target.shape.bytes),
        ranks_(target.shape.ranks),
        nccl_(nccl),
        communicators_(nccl.communicators(static_cast<int>(ranks_))),
        streams_(first_devices(ranks_)) {
    for (int rank = 0; rank < ranks_; ++rank) {
      const OnDevice there(rank);
      from_.push_back(random_buffer(bytes_ / bf16_size, Random::bf16, rng));
      to_.emplace_back(bytes_);
    }
  }
  void start(Stream stream) override {
    streams_.branch_from(stream);
    nccl_.check(nccl_.begin_group(), "a group of calls");
    for (std::size_t rank = 0; rank < from_.size(); ++rank) nccl_.check(start_rank(rank), op_.c_str());
    nccl_.check(nccl_.end_group(), op_.c_str());
    streams_.join(stream);
  }
  std::int64_t bytes() const override { return 2 * bytes_; }
  std::string version() const override { return nccl_.version(); }

 private:
  int start_rank(std::size_t rank) {
    const auto whole = static_cast<std::size_t>(bytes_ / bf16_size);
    const std::size_t part = whole / from_.size();
    const void* from = from_[rank].data();
    void* to = to_[rank].data();
    const Nccl::Communicator all = communicators_[rank];
    if (op_ == "all_gather") return nccl_.all_gather(from, to, part, Nccl::bf16, all, streams_[rank]);
    return nccl_.all_reduce(from, to, whole, Nccl::bf16, Nccl::sum, all, streams_[rank]);
  }

  std::string op_;
  std::int64_t bytes_;
  std::int64_t ranks_;
  Nccl& nccl_;
  const std::vector<Nccl::Communicator>& communicators_;
  SideStreams streams_;
  std::vector<DeviceBuffer> from_;
  std::vector<DeviceBuffer> to_;
};

}  // namespace

std::unique_ptr<Call> make_collective(const MeasureTarget& target, const CallContext& context) {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (target.shape.ranks > count) return nullptr;
  Nccl* nccl = context.libraries.nccl.get();
  const bool connected = nccl != nullptr && !nccl->communicators(static_cast<int>(target.shape.ranks)).empty();
  return connected ? std::make_unique<CollectiveCall>(target, *nccl, context.rng) : nullptr;
}

}  // namespace servecast
