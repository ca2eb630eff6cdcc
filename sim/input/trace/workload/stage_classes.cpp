#include "sim/input/trace/workload/stage_classes.h"

#include <string>

namespace servecast {
namespace {

class ByStage final : public Workload {
 public:
  ByStage(std::unique_ptr<Workload> source, const std::vector<StageSpec>& stages, WorkloadNotes& notes)
      : source_(std::move(source)) {
    double end_s = 0;
    for (const StageSpec& stage : stages) {
      end_s += stage.pause_s + stage.duration_s;
      stages_.push_back({end_s, notes.classes.id("stage " + std::to_string(stages_.size() + 1))});
      if (stage.warm_up) notes.warm_up.insert(stages_.back().id);
    }
  }

  std::optional<Request> next() override { return labelled(source_->next()); }
  std::optional<Request> follow_up(const Request& done, double finish_s) override {
    return labelled(source_->follow_up(done, finish_s));
  }
  double fraction_read() const override { return source_->fraction_read(); }

 private:
  struct Stage {
    double end_s = 0;
    ClassId id{};
  };
  std::optional<Request> labelled(std::optional<Request> request) const {
    if (!request) return request;
    std::size_t i = 0;
    while (i + 1 < stages_.size() && request->arrival_s > stages_[i].end_s) ++i;
    request->request_class = stages_[i].id;
    return request;
  }

  std::unique_ptr<Workload> source_;
  std::vector<Stage> stages_{};
};

}  // namespace

std::unique_ptr<Workload> class_by_stage(std::unique_ptr<Workload> source, const std::vector<StageSpec>& stages,
                                         WorkloadNotes& notes) {
  if (stages.size() < 2) return source;
  return std::make_unique<ByStage>(std::move(source), stages, notes);
}

}  // namespace servecast
