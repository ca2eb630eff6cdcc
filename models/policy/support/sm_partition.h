#pragma once
#include <cstdint>
#include <optional>

#include "models/hw/additions/sm_share.h"

namespace servecast {

/// What a replica saw in its last steps.
struct SmWindow {
  double requests_per_s = 0;       // that arrived
  double prompt_s = 0;             // mean time that a prompt takes with all SMs to itself; 0: no prompt was computed
  std::optional<double> ttft_s{};  // of the first tokens made, at the percentile wanted
  std::optional<double> tpot_s{};  // of the requests that finished, likewise
};

/// How a replica divides its GPUs' SMs between prompts and decodes that run at the same time.
class SmPartition {
 public:
  virtual ~SmPartition() = default;

  virtual SmShares first() const = 0;
  /// Steps, of either side, from one look to the next; 0: the shares stay.
  virtual std::int64_t window_steps() const { return 0; }
  virtual double percentile() const { return 90; }
  /// The shares wanted from now on.
  virtual SmShares next(const SmShares& now, const SmWindow&) const { return now; }
  /// From that decision until a process with the new shares is ready. Each side then changes over with its next step;
  /// the next decision comes when all has changed.
  virtual double switch_s() const { return 0; }
};

}  // namespace servecast
