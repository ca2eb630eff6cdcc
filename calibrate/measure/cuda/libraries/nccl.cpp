#include "calibrate/measure/cuda/libraries/nccl.h"

#include <fmt/format.h>

namespace servecast {
namespace {

constexpr int success = 0;

}  // namespace

Nccl::Nccl() = default;

Nccl::~Nccl() {
  const auto destroy = load<int (*)(Communicator)>("ncclCommDestroy");
  for (const auto& [ranks, all] : communicators_)
    for (Communicator communicator : all) destroy(communicator);
}

const std::vector<Nccl::Communicator>& Nccl::communicators(int ranks) {
  const auto found = communicators_.find(ranks);
  if (found != communicators_.end()) return found->second;
  std::vector<Communicator> all(static_cast<std::size_t>(ranks));
  const int status = load<int (*)(Communicator*, int, const int*)>("ncclCommInitAll")(all.data(), ranks, nullptr);
  if (status != success) {
    refusal_ = fmt::format("NCCL refuses to connect {} GPUs: {}", ranks, text(status));
    all.clear();
  }
  return communicators_[ranks] = std::move(all);
}

/// As its headers write it: 22703 is 2.27.3.
std::string Nccl::version() const {
  int number = 0;
  check(load<int (*)(int*)>("ncclGetVersion")(&number), "to tell its version");
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

std::string Nccl::text(int status) const { return load<const char* (*)(int)>("ncclGetErrorString")(status); }

void Nccl::check(int status, const char* what) const {
  if (status != success) throw DeviceError(fmt::format("NCCL refuses {}: {}", what, text(status)));
}

}  // namespace servecast
