#include "models/hw/profile/kernel_times.h"

#include <algorithm>
#include <cmath>

#include "models/base/counts.h"
#include "models/base/names.h"
#include "models/hw/llm/expert_tiles.h"

namespace servecast {
namespace {

constexpr std::size_t rows_axis = 3;         // of gemm's grid
constexpr std::int64_t bounded_rows = 1024;  // from here on arithmetic bounds a model's products
constexpr double most_clock_loss = 0.1;      // more per row is another kernel

std::int64_t whole(double n) { return std::max<std::int64_t>(1, std::llround(n)); }

/// Length of the prompt with as many query-key pairs as a chunk after a prefix.
double prompt_with_same_pairs(double tokens, double prefix, std::int64_t window) {
  double pairs = tokens * (prefix + tokens / 2);
  if (window > 0) pairs = std::min(pairs, tokens * static_cast<double>(window));
  return std::sqrt(2 * pairs);
}

double seen(double context, std::int64_t window) {
  return window > 0 ? std::min(context, static_cast<double>(window)) : context;
}

/// fp16 runs at bf16's rates.
std::string_view measured_as(std::string_view dtype) { return dtype == "fp16" ? "bf16" : dtype; }

/// Rows that time more than the operator, latent attention with its products, and what the fullest of several groups
/// of GPUs takes.
bool stands_in_for_none(std::string_view mode) { return mode == "module" || mode.ends_with(trained_groups); }

}  // namespace

KernelTimes::KernelTimes(const KernelProfile& profile) : elementwise_bytes_per_s_(profile.elementwise_bytes_per_s) {
  for (const FittedOperator& fitted : profile.operators)
    entries_.push_back({.op = fitted.op,
                        .dtype = fitted.dtype,
                        .kv_dtype = fitted.kv_dtype,
                        .mode = fitted.mode,
                        .head_dim = fitted.head_dim,
                        .layer = fitted.layer,
                        .model = OperatorModel(fitted)});
}

KernelTimes::Match KernelTimes::find(const Wanted& wanted) const {
  Match best;
  std::int64_t least = 0;
  for (const Entry& entry : entries_) {
    if (entry.op != wanted.op || entry.layer != wanted.layer) continue;
    if (stands_in_for_none(entry.mode) && entry.mode != wanted.mode) continue;
    const std::int64_t differences =
        1'000'000 * (entry.dtype != wanted.dtype) + 100'000 * (entry.mode != wanted.mode) +
        10'000 * (entry.kv_dtype != wanted.kv_dtype) + std::abs(entry.head_dim - wanted.head_dim);
    if (best.entry == nullptr || differences < least) best = {.entry = &entry, .exact = differences == 0};
    if (best.entry == &entry) least = differences;
  }
  return best;
}

std::optional<KernelTime> KernelTimes::time(const Wanted& wanted, const KernelShape& shape) const {
  return time(find(wanted), wanted, shape);
}

std::optional<KernelTime> KernelTimes::exact_time(const Wanted& wanted, const KernelShape& shape) const {
  const Match match = find(wanted);
  return match.exact ? time(match, wanted, shape) : std::nullopt;
}

std::optional<KernelTime> KernelTimes::time(const Match& match, const Wanted& wanted, const KernelShape& shape) {
  if (match.entry == nullptr) return std::nullopt;
  KernelTime time = match.entry->model.at(shape, number_sizes(wanted.dtype, wanted.kv_dtype));
  time.extrapolated |= !match.exact;
  return time;
}

std::optional<KernelTime> KernelTimes::gemm(const GemmCall& call) const {
  const std::string_view dtype = measured_as(call.dtype);
  const Wanted wanted{.op = "gemm", .dtype = dtype};
  const Match match = find(wanted);
  if (match.entry == nullptr || match.entry->dtype != dtype) return std::nullopt;  // rates differ too much
  KernelTime once = time(match, wanted, {.m = call.m, .n = call.n, .k = call.k}).value();
  const std::int64_t most_rows = std::llround(match.entry->model.largest(rows_axis));
  if (call.m < bounded_rows || call.m >= most_rows) return once;
  const KernelTime longest = time(match, wanted, {.m = most_rows, .n = call.n, .k = call.k}).value();
  const double per_row = longest.seconds / real(most_rows) * real(call.m) / once.seconds;
  const double slower = std::clamp(per_row, 1.0, 1 + most_clock_loss);
  once.seconds *= slower;
  once.compute_s *= slower;
  return once;
}

std::optional<KernelTime> KernelTimes::prefill(const AttentionHeads& heads, double tokens, double prefix) const {
  const std::int64_t length = whole(prompt_with_same_pairs(tokens, prefix, heads.window));
  return time({.op = "prefill_attention", .kv_dtype = measured_as(heads.kv_dtype), .head_dim = heads.head_dim},
              {.sequences = 1,
               .tokens = length,
               .context = length,
               .q_heads = heads.q_heads,
               .kv_heads = heads.kv_heads,
               .head_dim = heads.head_dim});
}

std::optional<KernelTime> KernelTimes::decode(const AttentionHeads& heads, std::int64_t sequences,
                                              double mean_context) const {
  return time({.op = "decode_attention", .kv_dtype = measured_as(heads.kv_dtype), .head_dim = heads.head_dim},
              {.sequences = sequences,
               .tokens = 1,
               .context = whole(seen(mean_context, heads.window)),
               .q_heads = heads.q_heads,
               .kv_heads = heads.kv_heads,
               .head_dim = heads.head_dim});
}

std::optional<KernelTime> KernelTimes::mla_prefill(const LatentHeads& heads, double tokens, double prefix) const {
  const std::int64_t length = whole(prompt_with_same_pairs(tokens, prefix, 0));
  return time({.op = "mla_prefill", .kv_dtype = measured_as(heads.kv_dtype)}, {.n = heads.query_size,
                                                                               .k = heads.value_size,
                                                                               .sequences = 1,
                                                                               .tokens = length,
                                                                               .context = length,
                                                                               .q_heads = heads.heads,
                                                                               .kv_heads = 1});
}

std::optional<KernelTime> KernelTimes::mla_decode(const LatentHeads& heads, std::int64_t sequences,
                                                  double mean_context) const {
  return time({.op = "mla_decode", .kv_dtype = measured_as(heads.kv_dtype)}, {.n = heads.query_size,
                                                                              .k = heads.value_size,
                                                                              .sequences = sequences,
                                                                              .tokens = 1,
                                                                              .context = whole(mean_context),
                                                                              .q_heads = heads.heads,
                                                                              .kv_heads = 1});
}

std::optional<KernelTime> KernelTimes::moe(const MoeCall& call) const {
  const std::string_view dtype = measured_as(call.dtype);
  // Tables of Marlin are by the sides that it stores, Triton's by the model's.
  const ExpertTile tile = dtype == "int4" ? expert_tile(DataType::int4) : ExpertTile{};
  const std::int64_t slices = call.tensor_parallel;
  const KernelShape shape{
      .m = call.tokens,
      .n = tile.width > 1 ? slices * in_whole_tiles(divided_up(call.width, slices), tile.width) : call.width,
      .k = in_whole_tiles(call.hidden, tile.hidden),
      .experts = call.experts,
      .top_k = call.top_k,
      .tensor_parallel = call.tensor_parallel,
      .expert_parallel = call.expert_parallel};
  const auto asked = [&](std::string_view routing, bool exact) {
    if (call.backend == "auto" || routing.starts_with("wide")) return moe(call, routing, shape, exact);
    return moe(call, of_backend(call.backend, routing), shape, exact);
  };
  if (call.routing == "balanced" && call.as_trained && call.experts >= fine_grained_experts)
    if (auto trained = asked(call.expert_parallel > 1 ? trained_groups : trained_routing, true)) {
      trained->skewed = true;
      return trained;
    }
  // Where the kernels behind an exchange were not timed, the usual ones stand for them.
  const bool wide = call.routing.starts_with("wide");
  if (wide)
    if (const auto behind = moe(call, call.routing, shape, true)) return behind;
  return asked(wide ? "balanced" : call.routing, false);
}

/// Of the model's own layer where that was measured, else of experts of any size.
std::optional<KernelTime> KernelTimes::moe(const MoeCall& call, std::string_view mode, const KernelShape& shape,
                                           bool exact) const {
  const std::string_view dtype = measured_as(call.dtype);
  const ExpertLayer own{.hidden = call.hidden, .width = call.width, .experts = call.experts, .top_k = call.top_k};
  for (const Wanted& wanted : {Wanted{.op = "moe_layer", .dtype = dtype, .mode = mode, .layer = own},
                               Wanted{.op = "moe", .dtype = dtype, .mode = mode}}) {
    const Match match = find(wanted);
    if (exact ? match.exact : match.entry != nullptr && match.entry->dtype == dtype)
      return time(match, wanted, shape);
  }
  return std::nullopt;
}

std::optional<KernelTime> KernelTimes::mla_bmm(const LatentProductsCall& call) const {
  const bool own = find({.op = "mla_bmm", .dtype = call.dtype, .mode = "pre"}).exact;  // else weights are widened
  const auto of = [&](std::string_view mode, std::int64_t columns, std::int64_t depth) {
    return time({.op = "mla_bmm", .dtype = own ? call.dtype : "bf16", .mode = mode},
                {.m = call.tokens, .n = columns, .k = depth, .q_heads = call.heads});
  };
  auto both = of("pre", call.latent_size, call.nope_size);
  const auto back = of("post", call.value_size, call.latent_size);
  if (!both || !back) return std::nullopt;
  both->seconds += back->seconds;
  both->compute_s += back->compute_s;
  both->extrapolated |= back->extrapolated;
  return both;
}

std::optional<KernelTime> KernelTimes::collective(const CollectiveCall& call) const {
  if (call.ranks <= 1) return KernelTime{};
  return time({.op = call.op, .mode = call.mode}, {.bytes = whole(call.bytes), .ranks = call.ranks});
}

std::optional<KernelTime> KernelTimes::all_reduce_by_nccl(double bytes, std::int64_t ranks) const {
  return exact_time({.op = "all_reduce", .mode = "nccl"}, {.bytes = whole(bytes), .ranks = ranks});
}

std::optional<KernelTime> KernelTimes::exchange(const ExchangeCall& call) const {
  const std::string_view dtype = call.op == "ep_dispatch" ? "fp8" : call.op == "nvlink_dispatch" ? "nvfp4" : "bf16";
  return time({.op = call.op, .dtype = dtype, .mode = call.mode},
              {.m = call.tokens, .k = call.hidden, .top_k = call.top_k, .ranks = call.ranks});
}

std::optional<KernelTime> KernelTimes::elementwise(double bytes, std::string_view mode) const {
  return exact_time({.op = "elementwise", .mode = mode}, {.bytes = whole(bytes)});
}

// A gate reads its logits in fp32 and writes 12 bytes for each choice; rows of bf16 are read once and written for
// each choice, or the other way round.
std::optional<KernelTime> KernelTimes::expert_rows(const MoeCall& call) const {
  const auto tokens = static_cast<double>(call.tokens);
  const auto choices = static_cast<double>(call.top_k);
  const auto gate = elementwise(tokens * (4 * static_cast<double>(call.experts) + 12 * choices), "gate");
  const double moved = 2 * tokens * static_cast<double>(call.hidden) * (1 + choices);
  const auto there = elementwise(moved, "permute");
  const auto back = elementwise(moved, "combine");
  if (!gate || !there || !back) return std::nullopt;
  return KernelTime{.seconds = gate->seconds + there->seconds + back->seconds,
                    .extrapolated = gate->extrapolated || there->extrapolated || back->extrapolated};
}

std::optional<KernelTime> KernelTimes::launches(std::int64_t count, std::string_view mode) const {
  return exact_time({.op = "launch", .mode = mode}, {.m = count});
}

std::string of_backend(std::string_view backend, std::string_view routing) {
  return std::string(backend).append(" ").append(routing);
}

bool has_backend(const KernelProfile& profile, DataType experts, std::string_view backend) {
  const std::string_view dtype = measured_as(facts(experts).name);
  return std::ranges::any_of(profile.operators, [&](const FittedOperator& fitted) {
    return fitted.dtype == dtype && fitted.mode.starts_with(backend) && fitted.op.starts_with("moe");
  });
}

bool has_products(const KernelProfile& profile, DataType weights) {
  const std::string_view dtype = measured_as(facts(weights).name);
  return std::ranges::any_of(
      profile.operators, [&](const FittedOperator& fitted) { return fitted.op == "gemm" && fitted.dtype == dtype; });
}

std::optional<ProfileProblem> profile_problem(const KernelProfile& profile) {
  std::vector<std::string> names;
  for (const OperatorKind& kind : operator_kinds()) names.emplace_back(kind.name);
  for (std::size_t i = 0; i < profile.operators.size(); ++i) {
    const FittedOperator& fitted = profile.operators[i];
    const OperatorKind* kind = operator_kind(fitted.op);
    if (kind == nullptr) return ProfileProblem{i, unknown_name("operator", fitted.op, names)};
    const auto& axes = fitted.residual.axes;
    if (!axes.empty() && axes.size() != kind->axis_count)
      return ProfileProblem{i, "'" + fitted.op + "' has " + std::to_string(kind->axis_count) + " axes"};
    if (auto problem = grid_problem(fitted.residual); problem && !axes.empty())
      return ProfileProblem{i, "'residual' " + *problem};
  }
  return std::nullopt;
}

}  // namespace servecast
