#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/hw/sm_share.h"
#include "models/policy/sm_partition.h"

namespace servecast {

/// A replica's lanes where prompts and decodes run at the same time on the same GPUs.
enum class Side : std::uint8_t { decode, prefill };

/// The SMs of such a replica: who has which share, and what is measured to move them. A step's time is fixed when it
/// starts, by the shares then and by what runs on the other side then; whatever starts or ends beside it later
/// changes only the steps that start later. The processes of a new partition are ready `switch_s` after it was
/// decided on, and each side goes on with its share from its next step on.
class SmSides {
 public:
  explicit SmSides(std::unique_ptr<SmPartition> partition)
      : partition_(std::move(partition)), shares_(partition_->first()) {}

  /// A step of one side starts; `full` as if it ran alone with all SMs.
  StageTime start(Side side, const StageTime& full, bool other_runs, double now_s);
  /// Until when the GPUs have work without the step that starts now and ends then.
  double beside_until_s(double end_s);

  // What the partition is to know:
  void arrived() { window_.arrivals += 1; }
  void prompts_started(std::int64_t prompts, double full_s);
  void first_token(double ttft_s);
  void finished(double tpot_s);
  /// A step has ended.
  void ended(double now_s);

  const SmShares& shares() const { return shares_; }
  std::int64_t switches() const { return switches_; }

 private:
  struct Measured {
    double from_s = 0;
    std::int64_t steps = 0;
    std::int64_t arrivals = 0;
    std::int64_t prompts = 0;
    double prompts_s = 0;
    std::vector<double> ttft_s{};
    std::vector<double> tpot_s{};
  };
  struct Switch {
    double ready_s = 0;
    SmShares to{};
  };
  SharedStep& step(Side side) { return side == Side::decode ? decode_ : prefill_; }
  SmWindow seen(double now_s);

  std::unique_ptr<SmPartition> partition_;
  SmShares shares_;
  std::optional<Switch> coming_{};
  SharedStep decode_{};  // that runs, or ran last
  SharedStep prefill_{};
  double busy_until_s_ = 0;
  Measured window_{};
  std::int64_t switches_ = 0;
};

}  // namespace servecast
