#pragma once
#include <functional>
#include <map>

#include "calibrate/decoder/decoder_step.h"
#include "calibrate/serve/step_executor.h"
#include "calibrate/step/block_tables.h"

namespace servecast {

/// A clock and a way to wait for it.
struct ServerClock {
  std::function<double()> now_s{};
  std::function<void(double seconds)> sleep{};
};

/// Executes steps with our kernels. Prompts are made-up tokens, the same in every run; what a sequence has made comes
/// back as its input, also when it begins anew.
class KernelExecutor final : public StepExecutor {
 public:
  /// Keeps device and clock.
  KernelExecutor(const DecoderShape& shape, const StepLimits& limits, KernelDevice& device, ServerClock clock);

  /// A prompt and a token behind it that no request asked for, so that kernels are loaded. Then the clock starts
  /// anew.
  void warm_up();

  std::int64_t kv_tokens() const override { return limits_.kv_blocks * limits_.block_tokens; }
  double now_s() override { return clock_.now_s() - begin_s_; }
  void wait_until(double at_s) override;
  void run(std::span<const StepPart> parts) override;
  void release(std::int64_t sequence) override { blocks_.release(sequence); }

  /// What a sequence has made so far, by position.
  std::map<std::int64_t, std::int32_t> made_by(std::int64_t sequence) const {
    const auto made = made_.find(sequence);
    return made == made_.end() ? std::map<std::int64_t, std::int32_t>{} : made->second;
  }

 private:
  std::int32_t token_at(std::int64_t sequence, std::int64_t position) const;

  StepLimits limits_;
  int vocabulary_;
  ServerClock clock_;
  DecoderStep step_;
  BlockTables blocks_;
  std::map<std::int64_t, std::map<std::int64_t, std::int32_t>> made_{};
  double begin_s_;
};

}  // namespace servecast
