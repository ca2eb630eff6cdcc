#include "sim/input/trace/workload/drained_stages.h"

#include <algorithm>
#include <utility>

namespace servecast {
namespace {

class DrainedStages final : public Workload {
 public:
  DrainedStages(std::unique_ptr<Workload> source, const ArrivalSpec& arrivals)
      : source_(std::move(source)),
        stages_(arrivals.stages),
        ends_with_arrivals_(arrivals.stage_gaps == "poisson"),
        left_(requests_of(stages_.front())) {
    begin_s_ = stages_.front().pause_s;
  }

  // None while the next stage waits: it is asked again when a request has ended.
  std::optional<Request> next() override {
    while (left_ == 0 && number_ + 1 < stages_.size()) {
      if (under_way_ > 0) return std::nullopt;
      begin_next_stage();
    }
    std::optional<Request> request = source_->next();
    if (!request) return request;
    --left_;
    ++under_way_;
    load_s_ = request->arrival_s - source_begin_s_ - stages_[number_].pause_s;
    const double later_s = begin_s_ - source_begin_s_ - stages_[number_].pause_s;
    request->arrival_s += later_s;
    request->deadline_s += later_s;
    request->give_up_s += later_s;
    request->awaited = true;
    return request;
  }

  // Further turns belong to the stage in which their session began, which has not drained before its last one has
  // ended.
  std::optional<Request> follow_up(const Request& done, double finish_s) override {
    --under_way_;
    drained_s_ = std::max(drained_s_, finish_s);
    if (done.session == SessionId{}) return std::nullopt;
    std::optional<Request> turn = source_->follow_up(done, finish_s);
    if (!turn) return turn;
    ++under_way_;
    turn->request_class = done.request_class;
    turn->awaited = true;
    return turn;
  }
  double fraction_read() const override { return source_->fraction_read(); }

 private:
  void begin_next_stage() {
    const StageSpec& before = stages_[number_];
    const double length_s = ends_with_arrivals_ && requests_of(before) > 0 ? load_s_ : before.duration_s;
    source_begin_s_ += before.pause_s + length_s;
    const StageSpec& stage = stages_[++number_];
    begin_s_ = std::max(begin_s_ + length_s, drained_s_) + stage.pause_s;
    left_ = requests_of(stage);
  }

  std::unique_ptr<Workload> source_;
  std::vector<StageSpec> stages_;
  bool ends_with_arrivals_;
  std::size_t number_ = 0;
  std::int64_t left_;  // of this stage, to be given out: requests, or sessions
  std::int64_t under_way_ = 0;
  double begin_s_ = 0;         // of this stage's load, behind its pause
  double load_s_ = 0;          // from there until the latest arrival
  double source_begin_s_ = 0;  // by the clock, of the pause
  double drained_s_ = 0;
};

}  // namespace

std::unique_ptr<Workload> drain_stages(std::unique_ptr<Workload> source, const ArrivalSpec& arrivals) {
  return std::make_unique<DrainedStages>(std::move(source), arrivals);
}

}  // namespace servecast
