#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "models/hw/profile/operator_model.h"
#include "models/hw/profile/profile_latency.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/library/library.h"
#include "sim/input/library/llm_config.h"
#include "tests/unit/cli/servecast.h"

namespace servecast::bundled_profiles_test {

TEST(BundledProfiles, LoadAndAreSmall) {
  EXPECT_GE(list_profiles().size(), 18u);
  std::uintmax_t all = 0;
  for (const std::string& name : list_profiles()) {
    const KernelProfile profile = load_profile(name, {});
    EXPECT_EQ(profile.name, profile.gpu + "." + profile.engine);
    const auto bytes = std::filesystem::file_size(library_dir() / profile_folder.path / (name + ".yaml"));
    EXPECT_LE(bytes, 650'000u) << name;
    all += bytes;
  }
  EXPECT_LE(all, 7'000'000u);  // a wheel may have 25 MB, and packs them to half
}

// What a profile lacks the roofline stands in for, with NVLink's waits scaled to another link.
TEST(BundledProfiles, KnowTheCollectivesOfTheirGpu) {
  for (const std::string& name : list_profiles()) {
    const KernelProfile profile = load_profile(name, {});
    for (const char* mode : {"graph", "eager", "nccl"})
      EXPECT_TRUE(std::ranges::any_of(
          profile.operators,
          [&](const FittedOperator& fitted) { return fitted.op == "all_reduce" && fitted.mode == mode; }))
          << name << ' ' << mode;
    for (const char* op : {"all_gather", "reduce_scatter", "all_to_all"})
      EXPECT_NE(std::ranges::find(profile.operators, op, &FittedOperator::op), profile.operators.end())
          << name << ' ' << op;
  }
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The script makes the smallest of them from the tables again, to the byte.
TEST(BundledProfiles, AreWhatTheScriptMakes) {
  const char* data = std::getenv("SERVECAST_DATA");
  if (data == nullptr || !std::filesystem::exists(std::string(data) + "/kernels/aiconfigurator"))
    GTEST_SKIP() << "needs SERVECAST_DATA";
  const TestFolder folder;
  const std::string made = folder / "";
  const std::string source = SERVECAST_SOURCE_DIR;
  const std::string name = "a100_sxm_80g.trtllm";
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "servecast-calibrate";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "needs servecast-calibrate beside the test";
  const std::string command = "CALIBRATE='" + program + "' '" + source + "/scripts/fit-profiles' '" + data + "' '" +
                              made + "' " + name + " > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(text_of(made + name + ".yaml") == text_of(source + "/scenarios/hw/profiles/" + name + ".yaml"));
}

// Errors on held-out shapes, as docs/calibrate.md gives them; a fit that gets worse shows here.
TEST(BundledProfiles, HeldOutErrorsOfWhatMattersMost) {
  for (const char* name : {"a100_sxm_80g.vllm", "h100_sxm_80g.vllm", "h200_sxm_141g.vllm"})
    for (const FittedOperator& fitted : load_profile(name, {}).operators) {
      const bool product = fitted.op == "gemm" && fitted.dtype == "bf16";
      const bool attention = fitted.op.ends_with("_attention") && fitted.kv_dtype == "bf16" && fitted.head_dim == 128;
      if (!product && !attention) continue;
      EXPECT_LE(fitted.evidence.median_error, 0.035) << name << " " << fitted.op;
      EXPECT_LE(fitted.evidence.p90_error, 0.13) << name << " " << fitted.op;
      EXPECT_GE(fitted.evidence.held_out_rows, 1000) << name << " " << fitted.op;
    }
}

// Llama-2-70B on 4 H100 with vLLM 0.15 at 8 requests/s: 37 sequences of 699 tokens on average take
// (E2E 4.678 s - TTFT 0.057 s) / 247 tokens = 18.7 ms a step.
TEST(BundledProfiles, AStepOfARealServer) {
  const Gpu gpu = load_gpu("h100_sxm_80g", {});
  const KernelProfile profile = load_profile("h100_sxm_80g.vllm", {});
  const Llm llm = load_llm("llama-2-70b", {});
  const auto latency =
      make_profile_latency({.gpu = gpu, .llm = llm, .shape = {.tensor_parallel = 4}, .max_sequences = 128}, profile);
  const StageTime step =
      latency->stage({.decode_sequences = 37, .decode_kv_tokens = 37 * 699, .emitted_tokens = 37}, 0);
  EXPECT_NEAR(step.seconds, 18.7e-3, 0.05 * 18.7e-3);
  EXPECT_FALSE(step.extrapolated);
}

/// A whole step of decodes in 16 bits, without CUDA graphs that would change their number.
StageTime decode_step(const KernelProfile& profile, const Llm& llm, std::int64_t sequences) {
  const std::int64_t context = 1000;
  const auto latency = make_profile_latency({.gpu = load_gpu(profile.gpu, {}),
                                             .llm = llm,
                                             .max_step_tokens = sequences,
                                             .max_sequences = sequences,
                                             .terms = {.cuda_graph_max_tokens = 0}},
                                            profile);
  return latency->stage(
      {.decode_sequences = sequences, .decode_kv_tokens = sequences * context, .emitted_tokens = sequences}, 0);
}

/// The most sequences whose attention was measured, with heads of 128 in 16 bits, and whose products were.
std::int64_t most_sequences(const KernelProfile& profile) {
  const auto product = std::ranges::find_if(
      profile.operators, [](const FittedOperator& fitted) { return fitted.op == "gemm" && fitted.dtype == "bf16"; });
  const auto attention = std::ranges::find_if(profile.operators, [](const FittedOperator& fitted) {
    return fitted.op == "decode_attention" && fitted.kv_dtype == "bf16" && fitted.head_dim == 128;
  });
  return static_cast<std::int64_t>(
      std::min(attention->residual.axes.front().points.back(), product->residual.axes.back().points.back()));
}

// A number of sequences between two measured ones lies inside, whether or not it is a multiple of anything. The model
// has 4 KV heads for 32 of queries, because the A100's set of TensorRT-LLM knows no others.
TEST(BundledProfiles, SequencesBetweenMeasuredOnesAreInside) {
  Llm llm = load_llm("llama-3-8b", {});
  llm.kv_heads = 4;
  for (const std::string& name : list_profiles()) {
    const KernelProfile profile = load_profile(name, {});
    const std::int64_t most = most_sequences(profile);
    for (const std::int64_t sequences : {std::int64_t{1}, std::int64_t{16}, std::int64_t{17}, std::int64_t{33},
                                         std::int64_t{65}, std::int64_t{200}, most, 2 * most})
      EXPECT_EQ(decode_step(profile, llm, sequences).extrapolated, sequences > most) << name << ", " << sequences;
  }
}

// The same of products alone, whose rows are a step's tokens; and beyond the largest number of rows measured.
TEST(BundledProfiles, RowsOfProductsBetweenMeasuredOnesAreInside) {
  for (const std::string& name : list_profiles()) {
    const KernelProfile profile = load_profile(name, {});
    for (const FittedOperator& fitted : profile.operators) {
      if (fitted.op != "gemm") continue;
      const OperatorModel product(fitted);
      const auto outside = [&](std::int64_t rows) { return product({.m = rows, .n = 4096, .k = 4096}).extrapolated; };
      const auto last = static_cast<std::int64_t>(fitted.residual.axes.back().points.back());
      for (const std::int64_t rows : {1, 17, 33, 65, 200, 1001}) EXPECT_FALSE(outside(rows)) << name << " " << rows;
      EXPECT_FALSE(outside(last)) << name << " " << fitted.dtype;
      EXPECT_TRUE(outside(2 * last)) << name << " " << fitted.dtype;
      EXPECT_TRUE(outside(2 * last + 1)) << name << " " << fitted.dtype;
    }
  }
}

}  // namespace servecast::bundled_profiles_test
