#pragma once
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "calibrate/decoder/kernel_device.h"
#include "kernels/device/numbers.h"
#include "models/base/rng.h"

namespace servecast {

/// Kernels run on the host, by emulation.
class HostDevice final : public KernelDevice {
 public:
  int processors() const override { return 4; }
  std::int64_t free_bytes() const override { return std::int64_t{1} << 30; }
  void* room(std::int64_t bytes) override {
    const auto size = static_cast<std::size_t>(bytes);
    all_.emplace_back(static_cast<std::byte*>(::operator new (size, std::align_val_t{256})));
    std::memset(all_.back().get(), 0xff, size);  // NaN, so that what is not written is seen
    taken += bytes;
    return all_.back().get();
  }
  void* random_numbers(std::int64_t count, double span) override {
    auto* numbers = static_cast<Bf16*>(room(count * 2));
    for (std::int64_t i = 0; i < count; ++i)
      numbers[i] = from_float<Bf16>(static_cast<float>((rng_.uniform() * 2 - 1) * span));
    return numbers;
  }
  void copy_in(void* to, std::span<const std::byte> from) override { std::memcpy(to, from.data(), from.size()); }
  void copy_out(std::span<std::byte> to, const void* from) override { std::memcpy(to.data(), from, to.size()); }
  Stream stream() override { return nullptr; }
  void wait() override {}

  std::int64_t taken = 0;

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{256}); }
  };
  Rng rng_{7, "host device"};
  std::vector<std::unique_ptr<std::byte, Free>> all_;
};

}  // namespace servecast
