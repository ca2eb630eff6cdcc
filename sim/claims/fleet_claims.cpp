#include <fmt/format.h>

#include <cmath>

#include "models/base/units.h"
#include "sim/claims/claim.h"
#include "sim/claims/claim_models.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

constexpr double requests_per_s = 1.2e6;
const Served fast{"llama-3.1-8b", "a100_sxm_80g"};
const Served slow{"llama-3.1-70b", "h100_sxm_80g", 4};

/// Answers of 128 tokens after 128 that one GPU gives, its steps full: prompts and decodes share the time.
double fast_rate(ClaimModels& models) {
  constexpr std::int64_t batch = 256;
  const double decode_s = 128 * models.decode_s(fast, batch, 192) / batch;
  const double prompt_s = models.prefill_s(fast, 2048) / (2048 / 128);
  return 1 / (decode_s + prompt_s);
}

Finding fleet(ClaimModels& models) {
  const double slow_jobs = requests_per_s * 0.013 * 100;
  const double at_once = std::floor(static_cast<double>(models.kv_tokens(slow)) / 4096);
  const double gpus = slow_jobs / at_once * 4;
  return {gpus, fmt::format(
                    "by Little's law {:.2f} million slow jobs of 100 s are under way; 70B on four H100 has KV for "
                    "{:.0f} of 4,096 tokens. The fast path needs {} A100 besides: {:.0f} answers/s each",
                    slow_jobs / 1e6, at_once, human::number(requests_per_s / fast_rate(models)), fast_rate(models))};
}

Finding hand_over(ClaimModels& models) {
  const double wire = models.node("dgx_a100").nic_bytes_per_s;
  const double nvlink = models.gpu("a100_sxm_80g").nvlink_bytes_per_s;
  const double small = kv_bytes_per_token(models.llm("llama-3.1-8b"), DataType::bf16);
  const double large = kv_bytes_per_token(models.llm("llama-3.1-70b"), DataType::bf16);
  return {2048 * small / wire * ms_per_s,
          fmt::format(
              "KV of 2,048 tokens of an 8B model over one HDR port; 5 ms carry {:.0f} tokens, {:.0f} of a 70B model, "
              "{} over the A100's NVLink",
              wire * 0.005 / small, wire * 0.005 / large, human::number(nvlink * 0.005 / small))};
}

Finding cold_start(ClaimModels& models) {
  const double storage = models.fabric("single_switch").storage_bytes_per_s;
  const double small = weight_bytes(models.llm("llama-3.1-8b"), DataType::bf16);
  const double large = weight_bytes(models.llm("qwen2.5-32b"), DataType::bf16);
  return {small / storage * ms_per_s,
          fmt::format("{:.0f} GB of an 8B model over its storage of {:.0f} GB/s, {:.1f} s for 32B, before the engine "
                      "starts (10 to "
                      "60 s); from the memory of the host, the process warm, eight links load 8B in {:.0f} ms",
                      small / giga, storage / giga, large / storage,
                      small / (8 * models.gpu("a100_sxm_80g").pcie_h2d_bytes_per_s) * ms_per_s)};
}

Finding fabric(ClaimModels& models) {
  return {models.node("dgx_h100").nic_bytes_per_s * 8 / giga,
          "an H100 system ships with NDR ports; HDR is the A100's"};
}

}  // namespace

std::vector<Claim> fleet_claims() {
  return {
      {'A', "1.2 million requests a second, 1.3 % of them slow, run on 8 A100 and 16 H100", Says::is, 16, "H100",
       fleet},
      {'A', "handing a request from the fast to the slow pool takes at most 5 ms", Says::at_most, 5, "ms", hand_over},
      {'A', "a replica starts cold in 300 ms", Says::at_most, 300, "ms", cold_start},
      {'A', "16 H100 are joined by InfiniBand HDR", Says::is, 200, "Gb/s", fabric},
  };
}

}  // namespace servecast
