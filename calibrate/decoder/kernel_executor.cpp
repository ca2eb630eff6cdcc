#include "calibrate/decoder/kernel_executor.h"

#include <algorithm>

#include "models/base/mixed_bits.h"

namespace servecast {

KernelExecutor::KernelExecutor(const DecoderShape& shape, const StepLimits& limits, KernelDevice& device,
                               ServerClock clock)
    : limits_(limits),
      vocabulary_(shape.vocabulary),
      clock_(std::move(clock)),
      step_(shape, limits, device),
      blocks_(limits.kv_blocks, limits.block_tokens),
      begin_s_(clock_.now_s()) {}

void KernelExecutor::warm_up() {
  constexpr std::int64_t warm_up = -1;
  const std::int64_t tokens = std::min({limits_.tokens, limits_.context - 1, kv_tokens() - 1});
  const StepPart prompt{.sequence = warm_up, .tokens = tokens, .emits = true};
  const StepPart decode{.sequence = warm_up, .before_tokens = tokens, .tokens = 1, .decodes = true, .emits = true};
  run({&prompt, 1});
  run({&decode, 1});
  release(warm_up);
  made_.erase(warm_up);
  begin_s_ = clock_.now_s();
}

void KernelExecutor::wait_until(double at_s) {
  for (double left_s = at_s - now_s(); left_s > 0; left_s = at_s - now_s()) clock_.sleep(left_s);
}

std::int32_t KernelExecutor::token_at(std::int64_t sequence, std::int64_t position) const {
  if (const auto own = made_.find(sequence); own != made_.end())
    if (const auto made = own->second.find(position); made != own->second.end()) return made->second;
  const std::uint64_t bits =
      mixed_bits((static_cast<std::uint64_t>(sequence) << 32) + static_cast<std::uint64_t>(position));
  return static_cast<std::int32_t>(bits % static_cast<std::uint64_t>(vocabulary_));
}

void KernelExecutor::run(std::span<const StepPart> parts) {
  const std::vector<StepPart> ordered = in_kernel_order(parts);
  std::vector<std::int32_t> ids;
  for (const StepPart& part : ordered) {
    blocks_.hold(part.sequence, part.before_tokens + part.tokens);
    for (std::int64_t i = 0; i < part.tokens; ++i) ids.push_back(token_at(part.sequence, part.before_tokens + i));
  }
  step_.load(arrays_of(ordered, blocks_), ids);
  step_.start();
  const std::vector<std::int32_t> made = step_.made();
  auto next = made.begin();
  for (const StepPart& part : ordered)
    if (part.emits) made_[part.sequence][part.before_tokens + part.tokens] = *next++;
}

}  // namespace servecast
