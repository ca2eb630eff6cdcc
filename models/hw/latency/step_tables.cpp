#include "models/hw/latency/step_tables.h"

#include <algorithm>
#include <cmath>

#include "models/base/counts.h"

namespace servecast {
namespace {

constexpr double batching_overhead = 1.1;  // Vidur: grouped-query attention over more than one sequence
constexpr double nccl_launch_ms = 0.02;    // Vidur: each collective

std::size_t whole(std::int64_t n) { return static_cast<std::size_t>(n); }
std::int64_t up_to(std::int64_t n, std::int64_t multiple) { return divided_up(n, multiple) * multiple; }

class FromTables final : public StepLatency {
 public:
  FromTables(StepTables tables, const StepTablesShape& shape) : t_(std::move(tables)), shape_(shape) {
    for (std::int64_t n = 0; n <= t_.max_tokens(); ++n) linears_ms_.push_back(linears_ms(n));
  }

  std::int64_t stages() const override { return shape_.stages; }

  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    bool outside = work.tokens() > t_.max_tokens();
    const std::size_t n = whole(std::min(work.tokens(), t_.max_tokens()));
    const std::size_t n8 = rounded(work.tokens());
    double layer_ms = linears_ms_[n];
    layer_ms += decode_ms(work, outside) + prefill_ms(work, outside);
    if (t_.all_reduce) layer_ms += 2 * ((*t_.all_reduce)[n8] + nccl_launch_ms);
    double stage_ms = static_cast<double>(shape_.layers_per_stage) * layer_ms;
    if (t_.send_recv && stage < shape_.stages - 1) stage_ms += (*t_.send_recv)[n8];
    const double seconds = stage_ms * 1e-3;
    return {.seconds = seconds, .compute_s = work.prefill_tokens > 0 ? seconds : 0, .extrapolated = outside};
  }

 private:
  std::size_t rounded(std::int64_t tokens) const { return whole(std::min(up_to(tokens, 8), t_.max_tokens())); }

  /// All of a layer that goes by its tokens alone. The order of the sums is that of the rules, so that results agree to
  /// the last bits.
  double linears_ms(std::int64_t tokens) const {
    const std::size_t n = whole(tokens);
    const std::size_t n8 = rounded(tokens);
    return t_.attn_pre_proj[n8] + t_.attn_post_proj[n8] + t_.attn_rope[n8] + t_.attn_kv_cache_save[n] +
           t_.input_layernorm[n8] + t_.mlp_up_proj[n8] + t_.mlp_down_proj[n8] + t_.mlp_act[n8] +
           t_.post_attention_layernorm[n8] + t_.add[n8];
  }

  /// The cell, or the nearest one inside the grid.
  static double look_up(const StepTables::Grid& grid, std::size_t row, std::size_t column, bool& outside) {
    if (grid.has(row, column)) return grid.at(row, column);
    outside = true;
    const std::size_t last_row = grid.cells.size() / grid.columns - 1;
    return grid.at(std::min(row, last_row), std::min(column, grid.columns - 1));
  }

  double decode_ms(const StepWork& w, bool& outside) const {
    if (w.decode_sequences == 0) return 0;
    const std::int64_t mean_tokens = w.decode_kv_tokens / w.decode_sequences;
    const double ms = look_up(t_.attn_decode, whole(w.decode_sequences), whole(up_to(mean_tokens, 64) / 64), outside);
    return w.decode_sequences > 1 ? ms * batching_overhead : ms;
  }

  double prefill_ms(const StepWork& w, bool& outside) const {
    if (w.prefill_sequences == 0) return 0;
    const auto chunk = static_cast<std::size_t>(std::round(std::sqrt(static_cast<double>(w.prefill_squared_tokens))));
    const double ms = look_up(t_.attn_prefill, whole(w.prefill_prefix64_tokens / 64), chunk, outside);
    return w.prefill_sequences > 1 ? ms * batching_overhead : ms;
  }

  StepTables t_;
  std::vector<double> linears_ms_{};  // by tokens
  StepTablesShape shape_;
};

}  // namespace

std::unique_ptr<StepLatency> make_step_tables(StepTables tables, const StepTablesShape& shape) {
  return std::make_unique<FromTables>(std::move(tables), shape);
}

}  // namespace servecast
