#include "calibrate/measure/cuda/device/buffers.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/device/numbers.h"

namespace servecast {
namespace {

/// Random data of a buffer repeats after this: no cache of a kernel's working set sees that, and making it takes no
/// time.
constexpr std::int64_t pattern_bytes = std::int64_t{4} << 20;

template <class Number>
void append(std::vector<std::uint8_t>& bytes, Number number) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(&number);
  bytes.insert(bytes.end(), from, from + sizeof number);
}

std::vector<std::uint8_t> pattern(std::int64_t bytes, Random kind, Rng& rng) {
  std::vector<std::uint8_t> all;
  while (static_cast<std::int64_t>(all.size()) < bytes) {
    const auto number = static_cast<float>(rng.uniform() * 2 - 1);
    if (kind == Random::bf16) append(all, from_float<Bf16>(number));
    if (kind == Random::fp32) append(all, number);
    if (kind == Random::fp8) append(all, from_float<Fp8>(number));
    if (kind == Random::bytes) append(all, static_cast<std::int8_t>(number * 127));
  }
  return all;
}

std::int64_t size_of(Random kind) { return kind == Random::fp32 ? 4 : kind == Random::bf16 ? 2 : 1; }

}  // namespace

void check_cuda(int status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // told now
  if (status == cudaErrorMemoryAllocation) throw NoRoom();
  throw DeviceError(std::string(what) + " failed: " + cudaGetErrorString(static_cast<cudaError_t>(status)));
}

DeviceBuffer::DeviceBuffer(std::int64_t bytes) : bytes_(bytes) {
  check_cuda(cudaMalloc(&data_, static_cast<std::size_t>(bytes)), "cudaMalloc");
}
DeviceBuffer::~DeviceBuffer() { cudaFree(data_); }
DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

DeviceBuffer random_buffer(std::int64_t count, Random kind, Rng& rng) {
  DeviceBuffer buffer(count * size_of(kind));
  const std::int64_t first = std::min(buffer.bytes(), pattern_bytes);
  const std::vector<std::uint8_t> made = pattern(first, kind, rng);
  auto* to = static_cast<char*>(buffer.data());
  check_cuda(cudaMemcpy(to, made.data(), static_cast<std::size_t>(first), cudaMemcpyHostToDevice), "cudaMemcpy");
  for (std::int64_t done = first; done < buffer.bytes();) {
    const std::int64_t bytes = std::min(done, buffer.bytes() - done);
    check_cuda(cudaMemcpy(to + done, to, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice), "cudaMemcpy");
    done += bytes;
  }
  return buffer;
}

namespace {

DeviceBuffer copy_of_bytes(std::span<const std::byte> bytes) {
  DeviceBuffer buffer(static_cast<std::int64_t>(bytes.size()));
  check_cuda(cudaMemcpy(buffer.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  return buffer;
}

}  // namespace

DeviceBuffer copy_of(std::span<const std::int32_t> numbers) { return copy_of_bytes(std::as_bytes(numbers)); }
DeviceBuffer copy_of(std::span<const float> numbers) { return copy_of_bytes(std::as_bytes(numbers)); }

}  // namespace servecast
