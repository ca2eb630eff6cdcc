#pragma once
#include <cstdint>
#include <string_view>

#include "models/hw/latency/rank_loads.h"
#include "models/hw/llm/llm.h"
#include "models/hw/llm/shape.h"
#include "models/hw/profile/kernel_times.h"

namespace servecast {

/// The links between the GPUs of one stage of a replica, as each of them has them for itself.
struct NodeLink {
  std::int64_t node_gpus = 8;     // GPUs of the stage in each node
  double bytes_per_s = 0;         // to other nodes, one direction
  double latency_s = 0;           // likewise
  double inside_bytes_per_s = 0;  // to its peers in the node, one direction
};

/// Kernels that send tokens to the GPUs of their experts and back: DeepEP's, TensorRT-LLM's over NVLink, or NCCL's
/// that give all tokens to all GPUs and sum what these make of them.
enum class ExchangeKernels : std::uint8_t { high_throughput, low_latency, nvlink, all_gather };

struct ExchangeTime {
  double seconds = 0;
  double inside_node_s = 0;   // the part of it in which the links inside a node send
  double across_nodes_s = 0;  // likewise the network ports

  friend ExchangeTime operator+(const ExchangeTime& a, const ExchangeTime& b) {
    return {a.seconds + b.seconds, a.inside_node_s + b.inside_node_s, a.across_nodes_s + b.across_nodes_s};
  }
  friend ExchangeTime operator*(double n, const ExchangeTime& time) {
    return {n * time.seconds, n * time.inside_node_s, n * time.across_nodes_s};
  }
};

/// Dispatch and combine of one expert layer, while nothing else uses the network:
///   the longer of the part inside a node, and launch + bytes to other nodes / (port rate x kernels' share of it).
/// high_throughput sends a token once to each node that has one of its experts, from where it goes on over NVLink;
/// low_latency once to each of its experts. Dispatch in fp8 with a 4-byte scale per 128 values, combine in bf16.
/// Inside a node and launch: DeepEP's kernels measured on 8 GPUs, for as many tokens as arrive here. The kernels'
/// share of the ports' rate is that of DeepEP's published tables (H800, 400 Gb/s ports): 0.93 and 0.87; a test holds
/// both kinds to these tables, over 16 to 256 GPUs.
/// nvlink: TensorRT-LLM's one-sided kernels (NVLinkOneSided), measured on 2 to 32 GB200 for DeepSeek-V3's tokens in
/// NVFP4 and back in bf16; all GPUs share one NVLink domain.
/// all_gather: an all-gather before the experts and a reduce-scatter behind them in bf16, over all GPUs of the
/// stage, as vLLM (allgather_reducescatter) and TensorRT-LLM do without all-to-all kernels; to other nodes a node's
/// ports share what it receives. Experts in nvfp4 are given tokens in nvfp4, all others in bf16 (TensorRT-LLM's pull
/// request 6794, SGLang's 7667, vLLM's 30014). Leaves out: routing that keeps to few nodes (DeepSeek-V3's 4 of 8
/// groups of experts meet 2.9 of 4 nodes, here 3.6).
class ExpertExchange {
 public:
  struct Kind {
    ExchangeKernels kernels = ExchangeKernels::all_gather;
    DataType experts = DataType::bf16;  // their weights
  };
  /// Keeps the first two. Requires the profile to have ep_dispatch and ep_combine, with nvlink nvlink_dispatch and
  /// nvlink_combine, with all_gather nothing.
  ExpertExchange(const Llm& llm, const KernelTimes& kernels, const Shape& shape, const NodeLink& link,
                 const Kind& kind);

  /// What each GPU sends is even; `load` says how much more the fullest GPU and node receive, or send back.
  ExchangeTime operator()(std::int64_t rank_tokens, const RankLoad& load = {}) const;

 private:
  struct Way {
    std::string_view op;
    double bytes_per_token = 0;
  };
  ExchangeTime one_way(const Way& way, double tokens, const RankLoad& load) const;
  double inside_s(const Way& way, double tokens) const;
  ExchangeTime over_nvlink(std::string_view op, double tokens) const;
  ExchangeTime collective(const Way& way, double tokens) const;

  const Llm& llm_;
  const KernelTimes& kernels_;
  NodeLink link_;
  Kind kind_;
  double gpus_;
  double copies_inside_ = 0;   // of each token, as many tokens of a node of its own as arrive over NVLink
  double copies_outside_ = 0;  // of each token, to other nodes
};

}  // namespace servecast
