#include "models/hw/parallel/expert_exchange.h"

#include <algorithm>
#include <cmath>

#include "models/base/counts.h"
#include "models/base/stable_math.h"

namespace servecast {
namespace {

constexpr double fp8_bytes = 1 + 4.0 / 128;  // with DeepEP's scale of each 128 values
// DeepEP's tables (README, H800 with CX7 400 Gb/s), own node taken off, over 0.94 x 50 GB/s: normal kernels EP32 43.5
// and 42.8, EP64 44.6 and 43.8 GB/s; low latency EP32 to EP256 39.6 to 42.6 GB/s.
constexpr double high_throughput_share = 0.93;
constexpr double low_latency_share = 0.87;

/// Of `places`, those that have one of a token's experts when each picks evenly and independently.
double met(double places, std::int64_t active) { return places * (1 - stable::pow(1 - 1 / places, real(active))); }

}  // namespace

ExpertExchange::ExpertExchange(const Llm& llm, const KernelTimes& kernels, const Shape& shape, const NodeLink& link,
                               const Kind& kind)
    : llm_(llm), kernels_(kernels), link_(link), kind_(kind), gpus_(real(shape.gpus_per_stage())) {
  const double gpus = gpus_;
  const double nodes = std::max(1.0, gpus / real(link.node_gpus));
  const std::int64_t active = llm.experts.value().active;
  if (kind.kernels == ExchangeKernels::high_throughput) {
    copies_inside_ = met(gpus, active) / met(gpus / nodes, active);
    copies_outside_ = met(nodes, active) * (1 - 1 / nodes);
  } else {
    copies_inside_ = 1 / nodes;
    copies_outside_ = real(active) * (1 - 1 / nodes);
  }
}

/// DeepEP's kernels on one node.
double ExpertExchange::inside_s(const Way& way, double tokens) const {
  const bool low_latency = kind_.kernels == ExchangeKernels::low_latency;
  return kernels_
      .exchange({.op = way.op,
                 .mode = low_latency ? "ll" : "normal",
                 .tokens = std::max<std::int64_t>(1, std::llround(tokens)),
                 .hidden = llm_.hidden,
                 .top_k = llm_.experts->active,
                 .ranks = link_.node_gpus})
      .value()
      .seconds;
}

ExchangeTime ExpertExchange::one_way(const Way& way, double tokens, const RankLoad& load) const {
  const double inside = inside_s(way, load.visits * tokens * copies_inside_);
  const double launch = inside_s(way, 1);
  const double sends = std::max(0.0, inside - launch);
  if (copies_outside_ == 0) return {.seconds = inside, .inside_node_s = sends};
  const bool low_latency = kind_.kernels == ExchangeKernels::low_latency;
  const double share = low_latency ? low_latency_share : high_throughput_share;
  const double fuller = low_latency ? load.visits : load.node_visits;
  const double across = fuller * tokens * copies_outside_ * way.bytes_per_token / (share * link_.bytes_per_s);
  return {.seconds = std::max(inside, launch + across), .inside_node_s = sends, .across_nodes_s = across};
}

ExchangeTime ExpertExchange::over_nvlink(std::string_view op, double tokens) const {
  const auto seconds = [&](double n) {
    return kernels_
        .exchange({.op = op,
                   .mode = "",
                   .tokens = std::max<std::int64_t>(1, std::llround(n)),
                   .hidden = llm_.hidden,
                   .top_k = llm_.experts->active,
                   .ranks = static_cast<std::int64_t>(gpus_)})
        .value()
        .seconds;
  };
  const double all_s = seconds(tokens);
  return {.seconds = all_s, .inside_node_s = std::max(0.0, all_s - seconds(1))};
}

/// Of the tokens of all GPUs. NCCL was measured inside a node: where there is no such table, its law is the link's.
ExchangeTime ExpertExchange::collective(const Way& way, double tokens) const {
  const double bytes = gpus_ * tokens * way.bytes_per_token;
  const double inside_gpus = std::min(gpus_, real(link_.node_gpus));
  const auto measured = kernels_.collective(
      {.op = way.op, .mode = "nccl", .bytes = bytes, .ranks = static_cast<std::int64_t>(inside_gpus)});
  const double sends = (1 - 1 / inside_gpus) * bytes / link_.inside_bytes_per_s;
  ExchangeTime time{.seconds = measured ? measured->seconds : sends, .inside_node_s = sends};
  const double nodes = gpus_ / inside_gpus;
  if (nodes <= 1) return time;
  time.across_nodes_s = (1 - 1 / nodes) * bytes / (inside_gpus * high_throughput_share * link_.bytes_per_s);
  time.seconds = std::max(time.seconds, link_.latency_s + time.across_nodes_s);
  return time;
}

ExchangeTime ExpertExchange::operator()(std::int64_t rank_tokens, const RankLoad& load) const {
  if (rank_tokens == 0) return {};
  if (kind_.kernels == ExchangeKernels::nvlink) {
    const double tokens = load.visits * real(rank_tokens);
    return over_nvlink("nvlink_dispatch", tokens) + over_nvlink("nvlink_combine", tokens);
  }
  const double bf16_token = real(llm_.hidden) * bf16_bytes;
  if (kind_.kernels == ExchangeKernels::all_gather) {
    const DataType given = kind_.experts == DataType::nvfp4 ? DataType::nvfp4 : DataType::bf16;
    const double given_token = real(llm_.hidden) * facts(given).activation_bytes;
    return collective({.op = "all_gather", .bytes_per_token = given_token}, real(rank_tokens)) +
           collective({.op = "reduce_scatter", .bytes_per_token = bf16_token}, real(rank_tokens));
  }
  const ExchangeTime out =
      one_way({.op = "ep_dispatch", .bytes_per_token = real(llm_.hidden) * fp8_bytes}, real(rank_tokens), load);
  const ExchangeTime back = one_way({.op = "ep_combine", .bytes_per_token = bf16_token}, real(rank_tokens), load);
  return out + back;
}

}  // namespace servecast
