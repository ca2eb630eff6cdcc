#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/hw/power_cost/power.h"
#include "sim/serving/resources/expert_offload.h"
#include "sim/serving/resources/open_transfers.h"
#include "sim/serving/step/lane.h"
#include "sim/serving/step/sm_sides.h"

namespace servecast {

/// How much longer its steps take than they should: a slow node, or GPUs that throttle.
struct StepPace {
  double step_time_factor = 1;
  double clock_fraction = 1;  // of the GPUs' full clock
  bool operator==(const StepPace&) const = default;
};

struct PipelineSetup {
  const StepLatency* latency = nullptr;      // outlives the stages
  std::unique_ptr<ExpertOffload> experts{};  // partly elsewhere; none: all in the GPUs' memory
  std::unique_ptr<SmPartition> partition{};  // prompts and decodes run at the same time; none: they take turns
  std::int64_t gpus = 1;                     // of a stage, which a step keeps busy at a time
  std::array<bool, 2> sends{};               // by Reach: these send to each other
  std::int64_t fetched_layers = 0;  // of the model, where prompts are fetched layer by layer; 0: they are not
  PowerDraw power{};                // of one GPU
  double power_cap_w = StepRun::infinity;
};

/// The GPUs of a replica, pipeline stage by pipeline stage: which batch has them from when to when. A batch enters a
/// stage when it is through the one before and the batch before it is through this one. There it computes, and may
/// wait: for layers of KV that are fetched, for experts, for its collectives. While it waits for a
/// transfer, its end is not known (infinite), and no batch enters behind it.
///
/// What depends on no other replica is worked out at once, up to the last stage. As soon as others use the links, or
/// where two sides share the SMs of several stages, a batch enters each stage only when its time has come (next_s()).
class Pipeline {
 public:
  Pipeline(PipelineSetup setup, OpenTransfers& links);

  std::size_t count() const { return static_cast<std::size_t>(count_); }
  /// How long a batch keeps a stage that it has to itself.
  StageTime time(const StepWork& work, std::size_t stage) const;
  /// The same of all stages, one after the other.
  double seconds(const StepWork& work) const;
  void set_pace(const StepPace& pace) { pace_ = pace; }
  /// When another batch can enter the first stage; infinite while that is not known.
  double first_free_s(Side side) const;
  /// A batch has all GPUs to itself, and needs nothing from elsewhere: it ends when it has computed.
  bool one_after_the_other() const { return count_ == 1 && !sides_ && !setup_.experts && setup_.fetched_layers == 0; }
  /// Transfers may start at any instant at which something is due.
  bool in_time() const;

  // Batches in the order in which they were launched. They stay where they are until they have ended. Each of these
  // calls may change the ends of all batches.
  /// From `ready_s` on it may enter the first stage; infinite: ready() says when. `tokens`: with experts elsewhere.
  void launch(FilledBatch& batch, double ready_s, std::span<const TokenRun> tokens, double now_s);
  /// The same where nothing but the batch before it keeps it from its stage: one_after_the_other(), not in_time(),
  /// and nothing is due. It starts at batch.start_s.
  void launch_next(FilledBatch& batch);
  /// first_free_s() there.
  double next_free_s(Side side) const { return free_s_[static_cast<std::size_t>(side) * count()]; }
  void ready(FilledBatch& batch, double now_s);
  /// A fetch for its prompts is done, layer after layer since `begun_s`.
  void fetched(FilledBatch& batch, double begun_s, double now_s);
  void sent(const Sent& sent, double now_s);
  void arrived(const ExpertLoad& load, double now_s);
  /// From now on others use the links of this traffic.
  void contended(OwnTraffic traffic, double now_s);
  /// When go_on() is due.
  double next_s() const { return next_s_; }
  void go_on(double now_s);

  std::span<FilledBatch* const> in_flight() const { return flight_; }
  /// Infinite while it is not known.
  double end_s(const FilledBatch& batch) const;
  /// Of the batch of that number; 0 where it has ended.
  double end_s(std::uint64_t batch) const;
  /// If it waits for nothing that follows.
  double alone_end_s(const FilledBatch& batch) const;
  /// It is through the last stage.
  void ended(const FilledBatch& batch) { std::erase(flight_, &batch); }
  /// It comes no further: what it has taken of the GPUs of all stages so far.
  struct Taken {
    double busy_s = 0;
    double energy_j = 0;
  };
  Taken cut(const FilledBatch& batch, double now_s);
  /// What is in flight is not counted any more.
  void abandon();

  ExpertOffload* experts() const { return setup_.experts.get(); }
  SmSides* sides() { return sides_ ? &*sides_ : nullptr; }
  const SmSides* sides() const { return sides_ ? &*sides_ : nullptr; }

 private:
  void enter_all(double now_s);
  void enter(FilledBatch& batch, double now_s);
  void begin(FilledBatch& batch, double begin_s, double now_s);
  void settle(FilledBatch& batch, std::size_t stage, double now_s);
  bool send_contended(FilledBatch& batch, std::size_t stage, double now_s);
  bool send(FilledBatch& batch, std::size_t stage, Reach reach, double now_s);
  void count(FilledBatch& batch, std::size_t stage);
  void count_wait(StageRun& stage_run, std::size_t stage, double end_s);
  void forget_ahead(double now_s);
  void find_next();
  // Beside another side, and with experts elsewhere (pipeline_shared.cpp):
  StageTime on_share(const FilledBatch& batch, std::size_t stage, const StageTime& full);
  bool other_side_runs(const FilledBatch& batch, std::size_t stage) const;
  void begin_experts(FilledBatch& batch, std::size_t stage, double stretch);
  void experts_done(FilledBatch& batch, std::size_t stage, double end_s);
  void play_experts(double now_s);
  void share_expert_links(double now_s);

  double stage_layers() const { return static_cast<double>(setup_.fetched_layers) / static_cast<double>(count_); }
  double power_w(const StageTime& time) const { return step_power_w(setup_.power, time, setup_.power_cap_w); }
  double& free_s(Side side, std::size_t stage) { return free_s_[static_cast<std::size_t>(side) * count() + stage]; }

  PipelineSetup setup_;
  OpenTransfers* links_;
  std::int64_t count_;
  std::optional<SmSides> sides_{};
  double clock_fraction_ = 1;  // under the power cap
  StepPace pace_{};
  bool may_wait_;  // for a transfer, once a batch has entered a stage
  std::vector<double>
      free_s_;  // by side and stage: when all batches launched so far are through; infinite: not known
  std::vector<FilledBatch*> flight_{};
  std::uint64_t launched_ = 0;
  double next_s_ = StepRun::infinity;
};

}  // namespace servecast
