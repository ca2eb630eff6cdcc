#pragma once
#include <map>
#include <optional>
#include <string>

#include "models/policy/placement.h"

namespace servecast {

/// What carries KV from one engine to another, by name, and what a deployment changes of it.
///
/// `mooncake`: fitted on transfers of Qwen3-235B (94 layers) between two nodes of 8 H20 over 4 x 400 GbE, 128 to
/// 32,768 tokens (Mooncake's published results, SGLang): each layer's block list costs 19.5 us and payload reaches
/// 0.855 of the line rate, which is 0.91 of what the bundled fabrics give (0.94); error of these rows 1 % in the
/// median, 7 % at most. Two nodes of 8 H800 with Qwen3-8B (vLLM), which nothing was fitted on: 11 % in the median,
/// within 12 % from 1,024 tokens on, 51 % too long for 128. `nixl`: assumed to be as Mooncake's engine, since both
/// post one-sided reads of the same block lists. `nccl`: the fabric's own share of the line rate, which is NCCL's; a
/// message per layer, assumed 10 us.
///
/// Their errors are those of a machine that is none of those known. Of one fitting machine the fit's own residuals
/// say nothing of the next, so that machines differ as they do for NCCL's all-reduce over NVLink on five kinds of GPU
/// (A100, H100, H200, B200, GB200; bundled profiles): logarithms of its share of the links' rate have the standard
/// deviation 0.090, of its launch 0.209, which for a sixth is multiplied by sqrt(1 + 1/5) and Student's t of 4
/// degrees, 2.13. In squares with them, residuals of the rows that Mooncake's terms were fitted on: its lists took
/// 0.90 to 1.09 of the fitted time, its bytes 1.00 to 1.016.
struct TransferEngine {
  std::string kind = "links";
  std::optional<double> layer_s{};
  std::optional<double> rate_fraction{};

  void fields(Fields& f) {
    f.field("kind", kind,
            "links: the links alone; mooncake: its transfer engine; nixl: NVIDIA's; nccl: sends of NCCL",
            {"links", "mooncake", "nixl", "nccl"});
    f.field("layer_s", layer_s,
            "for the block list of each layer, before the first byte leaves; left out: 0 for links, 19.5e-6 for "
            "mooncake and nixl, 10e-6 for nccl");
    f.field(
        "rate_fraction", rate_fraction,
        "share of the links' rate, as the fabric has it, that KV reaches; left out: 1 for links and nccl, 0.91 for "
        "mooncake and nixl",
        positive_fraction);
  }

  TransferTerms terms() const {
    constexpr ErrorRange of_lists{.p05 = 0.61, .p50 = 1, .p95 = 1.64};
    constexpr ErrorRange of_bytes{.p05 = 0.81, .p50 = 1, .p95 = 1.23};
    constexpr TransferTerms one_sided{
        .layer_s = 19.5e-6, .rate_fraction = 0.91, .layer_error = of_lists, .rate_error = of_bytes};
    static const std::map<std::string, TransferTerms> kinds{
        {"links", {}},
        {"mooncake", one_sided},
        {"nixl", one_sided},
        {"nccl", {.layer_s = 10e-6, .layer_error = of_lists, .rate_error = of_bytes}}};
    TransferTerms terms = kinds.at(kind);
    if (layer_s) terms.layer_s = *layer_s;
    if (rate_fraction) terms.rate_fraction = *rate_fraction;
    return terms;
  }
};

}  // namespace servecast
