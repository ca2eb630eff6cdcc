#include "models/hw/additions/layered_latency.h"

#include <algorithm>
#include <cassert>

#include "models/hw/latency/kernel_time.h"

namespace servecast {
namespace {

class Layered final : public StepLatency {
 public:
  Layered(std::vector<LayerPart> parts, const ExitTerms& exits, const EngineTerms& engine)
      : parts_(std::move(parts)), exits_(exits), engine_(engine) {
    assert(parts_.size() == 1 || parts_.front().all->stages() == 1);
  }

  std::int64_t stages() const override { return parts_.front().all->stages(); }

  /// Of all parts, in proportion to their layers; each gets its own share.
  double chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const override {
    return parts_.size() == 1 ? parts_.front().all->chunk_s(tokens, prefix_tokens) : 0;
  }

  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime sum;
    for (const LayerPart& part : parts_) {
      StepWork here = work;
      if (&part != &parts_.back()) here.emitted_tokens = 0;
      sum += part_time(part, here, stage);
    }
    if (stage == stages() - 1 && work.decode_layers > 0) add_exits(sum, work, stage);
    if (stage == 0) {
      const double device_s = sum.seconds;
      sum.seconds = with_host_s(engine_, device_s, work.decode_sequences + work.prefill_sequences);
      sum.host_s += sum.seconds - device_s;
    }
    return sum;
  }

  /// Of all layers, those that tokens have left included.
  StepSends sends(const StepWork& work, std::int64_t stage) const override {
    StepSends sum;
    for (const LayerPart& part : parts_) sum += part.all->sends(work, stage);
    return sum;
  }

 private:
  static LayerRange of_stage(const LayerPart& part, std::int64_t stage) {
    const LayerRange inside = stage_layers(part.range.size(), part.all->stages(), stage);
    return {.first = part.range.first + inside.first, .last = part.range.first + inside.last};
  }

  StageTime part_time(const LayerPart& part, const StepWork& work, std::int64_t stage) const {
    StageTime time = part.all->stage(work, stage);
    if (work.decode_layers == 0 || work.decode_sequences == 0) return time;
    const LayerRange layers = of_stage(part, stage);
    const std::int64_t skipped = layers.last - std::clamp(work.decode_layers, layers.first, layers.last);
    if (skipped > 0) time += -static_cast<double>(skipped) * decodes_layer(part, work, stage);
    return time;
  }

  /// What the decodes of a step add to one layer.
  static StageTime decodes_layer(const LayerPart& part, const StepWork& work, std::int64_t stage) {
    StageTime layer = one_layer(part, work, stage);
    if (work.prefill_tokens == 0) return layer;
    StepWork prompts = work;
    prompts.decode_sequences = prompts.decode_kv_tokens = prompts.draft_sequences = prompts.draft_tokens = 0;
    layer += -1.0 * one_layer(part, prompts, stage);
    return layer;
  }

  static StageTime one_layer(const LayerPart& part, const StepWork& work, std::int64_t stage) {
    const std::int64_t layers = of_stage(part, stage).size();
    if (layers == 1) return part.all->stage(work, stage);
    StageTime difference = part.all->stage(work, stage);
    difference += -1.0 * part.one->stage(work, stage);
    return 1 / static_cast<double>(layers - 1) * difference;
  }

  /// Where the draft head is.
  StageTime fastest_layer(const StepWork& work, std::int64_t stage) const {
    StageTime fastest = decodes_layer(parts_.front(), work, stage);
    for (const LayerPart& part : parts_) {
      const StageTime layer = decodes_layer(part, work, stage);
      if (layer.seconds < fastest.seconds) fastest = layer;
    }
    return fastest;
  }

  void add_exits(StageTime& sum, const StepWork& work, std::int64_t stage) const {
    if (exits_.draft_layers > 0) sum += exits_.draft_layers * fastest_layer(work, stage);
    if (exits_.checks > 0) {
      StageTime head = parts_.back().one->stage(work, stage);
      head += -1.0 * decodes_layer(parts_.back(), work, stage);
      sum += exits_.checks * head;
    }
    sum.seconds += std::min(exits_.predictors, static_cast<double>(work.decode_layers)) * exits_.predictor_s;
  }

  std::vector<LayerPart> parts_;
  ExitTerms exits_;
  EngineTerms engine_;
};

}  // namespace

std::unique_ptr<StepLatency> make_layered(std::vector<LayerPart> parts, const ExitTerms& exits,
                                          const EngineTerms& engine) {
  return std::make_unique<Layered>(std::move(parts), exits, engine);
}

}  // namespace servecast
