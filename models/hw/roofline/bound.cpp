#include "models/hw/roofline/bound.h"

#include <algorithm>
#include <functional>

#include "models/base/counts.h"

namespace servecast {
namespace {

constexpr double flop_per_weight = 2;
constexpr std::size_t windows = 64;

/// The `count` largest pieces together.
double largest(std::span<const DueWork> work, std::int64_t count) {
  std::vector<double> pieces;
  for (const DueWork& w : work) pieces.push_back(w.work);
  std::ranges::sort(pieces, std::greater<>());
  double sum = 0;
  for (std::size_t i = 0; i < pieces.size() && real(static_cast<std::int64_t>(i)) < real(count); ++i)
    sum += pieces[i];
  return sum;
}

}  // namespace

BoundModel bound_model(const Llm& llm, const WeightTypes& weights, DataType kv) {
  const double full_layers = llm.sparse ? 0 : real(llm.layers - llm.bounded_layers());
  const LayerWeights active = active_layer_weights(llm, 0, llm.layers);
  return {.linear_flop_per_token = flop_per_weight * active.linear(),
          .head_flop = flop_per_weight * embedding_parameters(llm),
          .attention_flop_per_pair = llm.latent ? 0 : full_layers * attention_flop_per_pair(llm),
          .active_bytes = active.linear_bytes(weights) + embedding_parameters(llm) * bf16_bytes,
          .kv_bytes_per_token = full_layers * kv_bytes_per_token_and_layer(llm, kv)};
}

LeastWork least_work(const BoundModel& m, const BoundRequest& r, std::int64_t max_sequences) {
  const double computed = real(r.computed_tokens);
  const double pairs = computed * real(r.found_tokens) + computed * (computed + 1) / 2;
  const double more = real(std::max<std::int64_t>(0, r.output_tokens - 1));
  const double prompt = computed + real(r.found_tokens);
  const double attended = more * prompt + more * (more + 1) / 2;
  return {.prompt_flop = computed * m.linear_flop_per_token + m.head_flop + pairs * m.attention_flop_per_pair,
          .decode_flop = more * (m.linear_flop_per_token + m.head_flop) + attended * m.attention_flop_per_pair,
          .decode_bytes = more * m.active_bytes / real(max_sequences) + attended * m.kv_bytes_per_token};
}

double least_token_s(const BoundModel& m, const Gpu& gpu, const Shape& shape, std::int64_t context_tokens) {
  const double bytes = m.active_bytes + real(context_tokens) * m.kv_bytes_per_token;
  return bytes / (real(shape.gpus_per_stage()) * gpu.hbm_bytes_per_s);
}

double least_rate(std::span<const DueWork> work, std::int64_t may_be_late) {
  std::vector<DueWork> by_due(work.begin(), work.end());
  std::ranges::sort(by_due, {}, &DueWork::due_s);
  std::vector<double> starts;
  for (const DueWork& w : work) starts.push_back(w.from_s);
  if (!std::ranges::is_sorted(starts)) std::ranges::sort(starts);
  const double late = largest(work, may_be_late);
  double rate = 0;
  const std::size_t stride = std::max<std::size_t>(1, starts.size() / windows);
  for (std::size_t i = 0; i < starts.size(); i += stride) {
    double inside = -late;
    for (const DueWork& w : by_due) {
      if (w.from_s < starts[i]) continue;
      inside += w.work;
      if (w.due_s > starts[i]) rate = std::max(rate, inside / (w.due_s - starts[i]));
    }
  }
  return rate;
}

}  // namespace servecast
