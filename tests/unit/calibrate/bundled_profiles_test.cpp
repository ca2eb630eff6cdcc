#include <gtest/gtest.h>

#include <filesystem>

#include "models/hw/profile_latency.h"
#include "sim/input/hardware.h"
#include "sim/input/kernel_profile_file.h"
#include "sim/input/library.h"
#include "sim/input/llm_config.h"

namespace servecast::bundled_profiles_test {

TEST(BundledProfiles, LoadAndAreSmall) {
  EXPECT_GE(list_profiles().size(), 6u);
  for (const std::string& name : list_profiles()) {
    const KernelProfile profile = load_profile(name, {});
    EXPECT_EQ(profile.name, profile.gpu + "." + profile.engine);
    EXPECT_LE(std::filesystem::file_size(library_dir() / profile_shelf.folder / (name + ".yaml")), 300'000u) << name;
  }
}

// Errors on held-out shapes, as docs/calibrate.md gives them; a fit that gets worse shows here.
TEST(BundledProfiles, HeldOutErrorsOfWhatMattersMost) {
  for (const char* name : {"a100_sxm_80g.vllm", "h100_sxm_80g.vllm", "h200_sxm_141g.vllm"})
    for (const FittedOperator& fitted : load_profile(name, {}).operators) {
      const bool product = fitted.op == "gemm" && fitted.dtype == "bf16";
      const bool attention = fitted.op.ends_with("_attention") && fitted.kv_dtype == "bf16" && fitted.head_dim == 128;
      if (!product && !attention) continue;
      EXPECT_LE(fitted.evidence.median_error, 0.035) << name << " " << fitted.op;
      EXPECT_LE(fitted.evidence.p90_error, 0.115) << name << " " << fitted.op;
      EXPECT_GE(fitted.evidence.held_out_rows, 1000) << name << " " << fitted.op;
    }
}

// Llama-2-70B on 4 H100 with vLLM 0.15 at 8 requests/s: 37 sequences of 699 tokens on average take
// (E2E 4.678 s - TTFT 0.057 s) / 247 tokens = 18.7 ms a step.
TEST(BundledProfiles, AStepOfARealServer) {
  const Gpu gpu = load_gpu("h100_sxm_80g", {});
  const KernelProfile profile = load_profile("h100_sxm_80g.vllm", {});
  const Llm llm = load_llm("llama-2-70b", {});
  const auto latency = make_profile_latency(
      {.gpu = gpu, .profile = profile, .llm = llm, .shape = {.tensor_parallel = 4}, .max_sequences = 128});
  const StageTime step =
      latency->stage({.decode_sequences = 37, .decode_kv_tokens = 37 * 699, .emitted_tokens = 37}, 0);
  EXPECT_NEAR(step.seconds, 18.7e-3, 0.05 * 18.7e-3);
  EXPECT_FALSE(step.extrapolated);
}

}  // namespace servecast::bundled_profiles_test
