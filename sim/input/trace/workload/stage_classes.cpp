#include "sim/input/trace/workload/stage_classes.h"

#include <string>

namespace servecast {
namespace {

class ByStage final : public Workload {
 public:
  ByStage(std::unique_ptr<Workload> source, const ArrivalSpec& arrivals, WorkloadNotes& notes)
      : source_(std::move(source)), by_time_(arrivals.stage_gaps == "scaled") {
    double end_s = 0;
    std::int64_t requests = 0;
    for (const StageSpec& stage : arrivals.stages) {
      end_s += stage.pause_s + stage.duration_s;
      requests += requests_of(stage);
      stages_.push_back({end_s, requests, notes.classes.id("stage " + std::to_string(stages_.size() + 1))});
      if (stage.warm_up) notes.warm_up.insert(stages_.back().id);
    }
  }

  std::optional<Request> next() override {
    std::optional<Request> request = source_->next();
    if (!request) return request;
    while (number_ + 1 < stages_.size() && given_ >= stages_[number_].requests) ++number_;
    ++given_;
    request->request_class = stages_[number_].id;
    return request;
  }
  // Poisson gaps end a stage at no stated time: further turns count with their session there.
  std::optional<Request> follow_up(const Request& done, double finish_s) override {
    std::optional<Request> turn = source_->follow_up(done, finish_s);
    if (turn) turn->request_class = by_time_ ? class_at(turn->arrival_s) : done.request_class;
    return turn;
  }
  double fraction_read() const override { return source_->fraction_read(); }

 private:
  struct Stage {
    double end_s = 0;
    std::int64_t requests = 0;  // of it and all before it
    ClassId id{};
  };
  ClassId class_at(double arrival_s) const {
    std::size_t i = 0;
    while (i + 1 < stages_.size() && arrival_s > stages_[i].end_s) ++i;
    return stages_[i].id;
  }

  std::unique_ptr<Workload> source_;
  bool by_time_;
  std::size_t number_ = 0;  // of the stage of the latest request
  std::int64_t given_ = 0;
  std::vector<Stage> stages_{};
};

}  // namespace

std::unique_ptr<Workload> class_by_stage(std::unique_ptr<Workload> source, const ArrivalSpec& arrivals,
                                         WorkloadNotes& notes) {
  if (arrivals.stages.size() < 2) return source;
  return std::make_unique<ByStage>(std::move(source), arrivals, notes);
}

}  // namespace servecast
