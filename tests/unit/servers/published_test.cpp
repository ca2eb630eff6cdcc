// Names that others write are those of bundled models and GPUs only where nothing in them may mean another.
#include "calibrate/servers/read/published.h"

#include <gtest/gtest.h>

#include "calibrate/servers/read/csv_rows.h"

namespace servecast::published_test {

struct Named {
  const char* published;
  const char* name;
  const char* weights;
  bool experts;
};

TEST(Published, ModelsByTheirNamesUnderAnyPublisher) {
  for (const Named& one : {
           Named{"meta-llama/Llama-2-70b-chat-hf", "llama-2-70b", "bf16", false},
           Named{"codellama/CodeLlama-34b-Instruct-hf", "codellama-34b", "bf16", false},
           Named{"LLaMA v3.1 8B", "llama-3.1-8b", "bf16", false},
           Named{"Llama 3.3 70B", "llama-3.1-70b", "bf16", false},
           Named{"meta-llama/Meta-Llama-3-8B-Instruct", "llama-3-8b", "bf16", false},
           Named{"RedHatAI/Llama-3.3-70B-Instruct-FP8", "llama-3.1-70b", "fp8", false},
           Named{"meta-llama/Llama-4-Maverick-17B-128E-Instruct", "llama-4-maverick", "bf16", true},
           Named{"mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b", "bf16", true},
           Named{"Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "qwen3-235b-a22b", "fp8_block", true},
           Named{"nvidia/Qwen3-32B-NVFP4", "qwen3-32b", "nvfp4", false},
           Named{"deepseek-ai/DeepSeek-R1-0528", "deepseek-v3", "fp8_block", true},
           Named{"deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-v3.2", "fp8_block", true},
           Named{"/models/deepseek-r1-0528-fp4-v2", "deepseek-v3", "nvfp4", true},
           Named{"openai/gpt-oss-120b", "gpt-oss-120b", "mxfp4", true},
       }) {
    const BundledLlm llm = bundled_llm(one.published);
    EXPECT_EQ(llm.name, one.name) << one.published;
    EXPECT_EQ(llm.weights, one.weights) << one.published;
    EXPECT_EQ(llm.experts, one.experts) << one.published;
  }
}

TEST(Published, OtherModelsAreNone) {
  for (const char* other : {"deepseek-ai/DeepSeek-R1-Distill-Llama-8B", "amd/DeepSeek-R1-0528-MXFP4-Preview",
                            "Qwen2.5-7B-GPTQ-Int4", "LLaMA 70B", "deepseek-v4-pro", "minimax-m3", ""})
    EXPECT_THROW(bundled_llm(other), NoMatch) << other;
}

TEST(Published, GpusByTheirBoards) {
  EXPECT_EQ(bundled_gpu("H100-SXM-80GB").name, "h100_sxm_80g");
  EXPECT_EQ(bundled_gpu("NVIDIA H100 80GB HBM3").name, "h100_sxm_80g");
  EXPECT_EQ(bundled_gpu("A100-SXM4-80GB").name, "a100_sxm_80g");
  EXPECT_EQ(bundled_gpu("A100-80GB").name, "a100_sxm_80g");
  EXPECT_EQ(bundled_gpu("A100-PCIE-80GB").name, "a100_pcie_80g");
  EXPECT_EQ(bundled_gpu("NVIDIA H200-NVL-141GB").name, "h200_nvl_141g");
  EXPECT_EQ(bundled_gpu("H100-NVL-94GB").title(), "h100_nvl_94g (kernels derived)");
  EXPECT_EQ(bundled_gpu("b200-trt").name, "b200_sxm_180g");
  EXPECT_EQ(bundled_gpu("gb200").node, "gb200_nvl72");
  for (const char* other : {"B200-NVL-180GB", "mi325x", "H100 CNX", "H20", ""})
    EXPECT_THROW(bundled_gpu(other), NoMatch) << other;
}

}  // namespace servecast::published_test
