#include <fmt/format.h>

#include <cmath>

#include "models/base/units.h"
#include "sim/claims/claim.h"
#include "sim/claims/claim_models.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

Finding quadratic_prompts(ClaimModels& models) {
  const auto flop = [&](std::int64_t tokens) { return models.prompt_flop("llama-2-7b", tokens); };
  return {flop(2048) / flop(512),
          fmt::format("1 : {:.2f} : {:.2f}; only attention's scores grow by 16, the linear layers "
                      "do nearly all of the arithmetic at this length",
                      flop(1024) / flop(512), flop(2048) / flop(512))};
}

Finding passes_of_tokens(ClaimModels&) {
  constexpr int prompt = 500;
  constexpr int output = 100;
  int without_cache = 0;
  for (int i = 0; i < output; ++i) without_cache += prompt + i;
  return {prompt + output - 1.0,
          fmt::format("tokens through the model for 100 after a prompt of 500: with a KV cache each "
                      "step computes one; {} only without it",
                      human::count(without_cache))};
}

Finding quantised_speed(ClaimModels& models) {
  const auto served = [](DataType weights) { return Served{"llama-2-7b", "a100_sxm_80g", 1, weights}; };
  const auto decode = [&](DataType type, std::int64_t sequences) {
    return models.decode_s(served(DataType::bf16), sequences, 1024) / models.decode_s(served(type), sequences, 1024);
  };
  const auto prefill = [&](DataType type) {
    return models.prefill_s(served(DataType::bf16), 2048) / models.prefill_s(served(type), 2048);
  };
  return {
      decode(DataType::int4, 1),
      fmt::format(
          "decode steps of one sequence on an A100: int8 weights x {:.2f}, int4 x {:.2f}; of 32 sequences x {:.2f} "
          "and x {:.2f}; prompts x {:.2f} and x {:.2f}, since products widen the weights first",
          decode(DataType::int8, 1), decode(DataType::int4, 1), decode(DataType::int8, 32),
          decode(DataType::int4, 32), prefill(DataType::int8), prefill(DataType::int4))};
}

Finding beams(ClaimModels& models) {
  const Served served{"llama-2-7b", "a100_sxm_80g"};
  const double ratio = models.decode_s(served, 5, 1024) / models.decode_s(served, 1, 1024);
  return {ratio,
          "a step of five beams over a step of one, without sharing the prompt's KV, which saves memory too "
          "(37 to 66 %, SOSP'23, figure 15)"};
}

Finding from_fp32(ClaimModels& models) {
  const Served bf16{"llama-2-7b", "a100_sxm_80g"};
  const Served w8a8{"llama-2-7b", "a100_sxm_80g", 1, DataType::w8a8};
  return {{models.prefill_s(bf16, 2048) / models.prefill_s(w8a8, 2048),
           models.decode_s(bf16, 8, 1024) / models.decode_s(w8a8, 8, 1024)},
          "prompts and decode steps on an A100 against bf16, in which models are served; against fp32 twice that, "
          "which is not served"};
}

Finding phone_battery(ClaimModels& models) {
  constexpr double battery_j = 5 * 3.85 * 3600;  // 5,000 mAh at 3.85 V, typical
  const double power_w = 16 * models.gpu("h100_sxm_80g").power.tdp_w;
  return {battery_j / power_w,
          fmt::format("{:.0f} kJ over {:.1f} kW of 16 H100; the order is right", battery_j / 1e3, power_w / 1e3)};
}

Finding phone_token(ClaimModels& models) {
  const Gpu& phone = models.gpu("phone_100tops");
  const double bytes = 1e9 * facts(DataType::int4).bytes;
  return {bytes / phone.hbm_bytes_per_s * ms_per_s,
          fmt::format("{:.2f} GB of int4 weights over {:.0f} GB/s of memory; the 100 TOPS do not matter", bytes / 1e9,
                      phone.hbm_bytes_per_s / 1e9)};
}

Finding expert_transfer(ClaimModels& models) {
  const Llm& llm = models.llm("mixtral-8x7b");
  const double bytes = 3.0 * 2 * static_cast<double>(llm.hidden * llm.experts->intermediate);
  const auto ratio = [&](const char* name) {
    const Gpu& gpu = models.gpu(name);
    return gpu.hbm_bytes_per_s / gpu.pcie_h2d_bytes_per_s;
  };
  const Gpu& a100 = models.gpu("a100_sxm_80g");
  return {{ratio("h100_sxm_80g"), ratio("a100_sxm_80g")},
          fmt::format(
              "an expert of Mixtral has {:.0f} MB: {:.1f} ms over PCIe 4.0, {:.2f} ms from the A100's memory, which "
              "bounds one token's product",
              bytes / 1e6, bytes / a100.pcie_h2d_bytes_per_s * ms_per_s, bytes / a100.hbm_bytes_per_s * ms_per_s)};
}

}  // namespace

std::vector<Claim> arithmetic_claims() {
  return {
      {'B', "prompts of 512, 1,024 and 2,048 tokens cost 1 : 4 : 16", Says::is, 16, "x", quadratic_prompts},
      {'B', "each output token runs the model over all tokens again", Says::is, 54950, "tokens", passes_of_tokens},
      {'B', "INT8 is about 20 %, INT4 about 40 % faster", Says::is, 1.4, "x", quantised_speed},
      {'B', "beam search with five beams costs as much as writing five texts", Says::is, 5, "x", beams},
      {'D', "int8 makes a model 2 to 4 times as fast", Says::is, {2, 4}, "x", from_fp32},
      {'C', "a phone's battery would last 10 s at the power of that cluster", Says::is, 10, "s", phone_battery},
      {'A', "a 1B model on 100 TOPS answers within 20 ms a token", Says::at_most, 20, "ms", phone_token},
      {'E', "fetching an expert takes 10 times as long as computing it", Says::is, 10, "x", expert_transfer},
  };
}

}  // namespace servecast
