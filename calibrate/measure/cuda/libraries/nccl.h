#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "calibrate/measure/cuda/libraries/shared_library.h"
#include "kernels/device/stream.h"

struct ncclComm;

namespace servecast {

/// NVIDIA's collectives over the GPUs of this machine. Declared from its manual: the toolkit need not have nccl.h.
class Nccl {
 public:
  using Communicator = ncclComm*;
  static constexpr int bf16 = 9;
  static constexpr int sum = 0;

  /// Throws DeviceError where it is missing.
  Nccl();
  ~Nccl();
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  /// Of GPUs 0 to `ranks` - 1, made once; empty where they cannot be connected, which refusal() then tells of.
  const std::vector<Communicator>& communicators(int ranks);
  const std::string& refusal() const { return refusal_; }
  std::string version() const;
  /// Throws DeviceError with what NCCL says.
  void check(int status, const char* what) const;

 private:
  std::string text(int status) const;
  template <class Function>
  Function load(const char* name) const {
    return library_.function<Function>(name);
  }
  SharedLibrary library_{"libnccl.so.2", "sum over GPUs to measure"};
  std::map<int, std::vector<Communicator>> communicators_;
  std::string refusal_;

 public:
  using Reduce = int (*)(const void*, void*, std::size_t, int type, int operation, Communicator, Stream);
  using Gather = int (*)(const void*, void*, std::size_t, int type, Communicator, Stream);
  Reduce all_reduce = load<Reduce>("ncclAllReduce");
  Gather all_gather = load<Gather>("ncclAllGather");
  int (*begin_group)() = load<int (*)()>("ncclGroupStart");
  int (*end_group)() = load<int (*)()>("ncclGroupEnd");
};

}  // namespace servecast
