#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/hw/additions/sm_share.h"
#include "models/policy/support/sm_partition.h"
#include "sim/serving/step/step_run.h"

namespace servecast {

/// The SMs of such a replica: which side has which share, and what is measured to move them. A step's time is fixed
/// when it starts, by the shares then and by what runs on the other side then; whatever starts or ends beside it
/// later changes only the steps that start later. The processes of a new partition are ready `switch_s` after it was
/// decided on, and each side goes on with its share from its next step on. The two processes reach over all pipeline
/// stages, so their shares are the same in each.
class SmSides {
 public:
  explicit SmSides(std::unique_ptr<SmPartition> partition, std::size_t stages = 1)
      : partition_(std::move(partition)), shares_(partition_->first()), stages_(stages) {}

  /// A step of one side starts in a stage; `full` as if it ran alone with all SMs.
  StageTime start(std::size_t stage, Side side, const StageTime& full, bool other_runs, double now_s);
  /// Until when the stage's GPUs have work without the step that starts there now and ends then.
  double beside_until_s(std::size_t stage, double end_s);

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
  struct StageSteps {
    SharedStep decode{};  // that runs, or ran last
    SharedStep prefill{};
    double busy_until_s = 0;
  };
  SmWindow seen(double now_s);

  std::unique_ptr<SmPartition> partition_;
  SmShares shares_;
  std::optional<Switch> coming_{};
  std::vector<StageSteps> stages_;
  Measured window_{};
  std::int64_t switches_ = 0;
};

}  // namespace servecast
