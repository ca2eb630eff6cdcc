#include <gtest/gtest.h>

#include "calibrate/import/importer.h"
#include "tests/unit/cli/servecast.h"
#include "tests/unit/message_of.h"

namespace servecast::import_test {

std::vector<Sample> imported(const std::string& text) {
  const TestFolder folder;
  std::vector<Sample> all;
  import_table(folder.write("table.csv", text), {.gpu = "g"}, [&](Sample&& s) { all.push_back(std::move(s)); });
  return all;
}

const std::string origin = "framework,version,device,op_name,kernel_source,";

TEST(Import, MillisecondsBecomeSeconds) {
  const auto rows = imported(origin +
                             "gemm_dtype,m,n,k,latency\nVLLM,0.19.0,NVIDIA,gemm,lib,bfloat16,8,16,32,0.5\n"
                             "VLLM,0.19.0,NVIDIA,gemm,lib,int8_wo,0,16,32,0.5\n");
  ASSERT_EQ(rows.size(), 1u);  // a product without rows is no product
  EXPECT_EQ(rows[0].engine, "vllm");
  EXPECT_EQ(rows[0].op, "gemm");
  EXPECT_EQ(rows[0].dtype, "bf16");
  EXPECT_EQ(rows[0].shape, (KernelShape{.m = 8, .n = 16, .k = 32}));
  EXPECT_NEAR(rows[0].median_s, 0.5e-3, 1e-18);
}

// The cache holds `step` tokens before the new ones.
TEST(Import, ContextIsStepAndNewTokens) {
  const auto rows = imported(
      origin +
      "batch_size,isl,num_heads,num_key_value_heads,head_dim,beam_width,attn_dtype,kv_cache_dtype,step,latency\n"
      "VLLM,1,x,generation_attention,fa,4,1,32,8,128,1,bfloat16,fp8,1023,0.02\n"
      "VLLM,1,x,context_attention,fa,4,512,32,8,128,1,bfloat16,bfloat16,0,0.02\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].op, "decode_attention");
  EXPECT_EQ(rows[0].kv_dtype, "fp8");
  EXPECT_EQ(rows[0].shape.context, 1024);
  EXPECT_EQ(rows[1].op, "prefill_attention");
  EXPECT_EQ(rows[1].shape.context, 512);
}

// Sizes count elements: 1,000 of 2 bytes, 1,000 of 1.
TEST(Import, CollectiveSizesCountElements) {
  const auto rows = imported(origin +
                             "nccl_dtype,num_gpus,message_size,latency\n"
                             "X,2.29,x,alltoall,NCCL,half,8,1000,0.01\n"
                             "X,2.29,x,all_reduce,NCCL,int8,8,1000,0.01\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].op, "all_to_all");
  EXPECT_EQ(rows[0].shape.bytes, 2000);
  EXPECT_EQ(rows[1].shape.bytes, 1000);
  EXPECT_EQ(rows[1].shape.ranks, 8);
}

TEST(Import, BothLayoutsOfLatentAttention) {
  const auto kernel = imported(origin +
                               "mla_dtype,kv_cache_dtype,num_heads,batch_size,isl,tp_size,step,latency\n"
                               "T,1,x,mla_generation,default,bfloat16,fp8,64,2,1,2,127,0.03\n");
  EXPECT_EQ(kernel.at(0).op, "mla_decode");
  EXPECT_EQ(kernel[0].mode, "");
  EXPECT_EQ(kernel[0].shape.context, 128);
  const auto module =
      imported(origin +
               "model,architecture,mla_dtype,kv_cache_dtype,gemm_type,num_heads,batch_size,isl,tp_size,step,latency\n"
               "V,1,x,mla_generation_module,default,m,a,bfloat16,fp8,fp8_block,64,2,1,1,128,0.1\n");
  EXPECT_EQ(module.at(0).mode, "module");
  EXPECT_EQ(module[0].dtype, "fp8_block");
  EXPECT_EQ(module[0].shape.context, 128);
}

TEST(Import, DeepEpRowsAreADispatchAndACombine) {
  const auto rows = imported(origin +
                             "node_num,hidden_size,num_token,num_topk,num_experts,combine_avg_t_us,"
                             "dispatch_avg_t_us\nsglang,1,x,ll,deepep,1,7168,4,8,256,12.5,10\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].op, "ep_dispatch");
  EXPECT_NEAR(rows[0].median_s, 10e-6, 1e-18);
  EXPECT_NEAR(rows[1].median_s, 12.5e-6, 1e-18);
  EXPECT_EQ(rows[1].shape.ranks, 8);
}

// 2 GPUs, one in each node: the network. Vidur's sizes are bytes.
TEST(Import, VidurSendsAcrossNodes) {
  const auto rows =
      imported("time_stats.send_recv.median,num_workers,size,devices_per_node\n0.02,2,4096,1\n0,2,8,1\n");
  ASSERT_EQ(rows.size(), 1u);  // 0: below the clock's resolution
  EXPECT_EQ(rows[0].op, "p2p");
  EXPECT_EQ(rows[0].mode, "across_nodes");
  EXPECT_EQ(rows[0].shape.bytes, 4096);
}

// 64 heads of 128 over 2 GPUs, gated MLP of 28,672: query, key and value 4,096 + 2 x 512, up 28,672.
TEST(Import, VidurLayersBecomeProducts) {
  const auto rows = imported(
      "time_stats.attn_pre_proj.median,time_stats.mlp_up_proj.median,time_stats.add.median,n_head,n_kv_head,n_embd,"
      "n_expanded_embd,use_gated_mlp,num_tokens,num_tensor_parallel_workers\n0.1,0.2,0.03,64,8,8192,28672,True,10,"
      "2\n");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].shape, (KernelShape{.m = 10, .n = 5120, .k = 8192}));
  EXPECT_EQ(rows[1].shape, (KernelShape{.m = 10, .n = 28672, .k = 8192}));
  EXPECT_EQ(rows[2].op, "elementwise");
  EXPECT_EQ(rows[2].shape.bytes, 2 * 10 * 3 * 8192);
}

TEST(Import, MistakesHaveTheirPlace) {
  const TestFolder folder;
  const auto message = [&](const std::string& text) -> std::string {
    return message_of([&] { import_table(folder.write("t.csv", text), {.gpu = "g"}, [](Sample&&) {}); });
  };
  const std::string head = origin + "gemm_dtype,m,n,k,latency\n";
  EXPECT_NE(
      message(head + "V,1,x,gemm,l,bfloat61,8,16,32,1\n").find("t.csv:2:14: unknown data type 'bfloat61'; did you"),
      std::string::npos);
  EXPECT_NE(message(head + "V,1,x,gemm,l,bfloat16,8,16,32,-1\n").find("t.csv:2:31: latency must be 0 or more"),
            std::string::npos);
  EXPECT_NE(message("a,b\n1,2\n").find("no known table has these columns"), std::string::npos);
}

TEST(Import, EveryTypeOfExpertsAndProducts) {
  const auto rows =
      imported(origin +
               "moe_dtype,num_tokens,hidden_size,inter_size,topk,num_experts,moe_tp_size,moe_ep_size,"
               "distribution,latency\n"
               "TRTLLM,1,x,moe,k,nvfp4,8,7168,2048,8,256,1,16,balanced,0.1\n"
               "TRTLLM,1,x,moe,k,w4a8_mxfp4_mxfp8,8,2880,2880,4,128,2,1,balanced,0.1\n"
               "SGLang,1,x,moe_context,deepepmoe,fp8_block,8,7168,2048,8,256,1,16,uniform,0.1\n"
               "SGLang,1,x,moe_generation,deepepmoe,fp8_block,8,7168,2048,8,256,1,16,power_law_1.2,0.1\n");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].dtype, "nvfp4");
  EXPECT_EQ(rows[1].dtype, "w4a8_mxfp4");
  EXPECT_EQ(rows[2].mode, "wide_prefill");
  EXPECT_EQ(rows[3].mode, "wide_decode_power_law_1.2");
}

// Of each head 128 x 512 and back; quantising reads two bytes and writes one; a difference of 0 says nothing.
TEST(Import, ProductsOfLatentHeadsAndQuantising) {
  const auto products =
      imported(origin +
               "bmm_dtype,num_tokens,num_heads,latency\nVLLM,1,x,mla_gen_pre,d,bfloat16,4,128,0.01\n"
               "VLLM,1,x,mla_gen_post,d,fp8,4,128,0.01\n");
  ASSERT_EQ(products.size(), 2u);
  EXPECT_EQ(products[0].mode, "pre");
  EXPECT_EQ(products[0].shape, (KernelShape{.m = 4, .n = 512, .k = 128, .q_heads = 128}));
  EXPECT_EQ(products[1].shape, (KernelShape{.m = 4, .n = 128, .k = 512, .q_heads = 128}));
  const auto passes = imported(origin +
                               "m,k,quant_dtype,latency\nVLLM,1,x,compute_scale,t,10,100,fp8,0\n"
                               "VLLM,1,x,scale_matrix,t,10,100,fp8,0.02\n");
  ASSERT_EQ(passes.size(), 1u);
  EXPECT_EQ(passes[0].shape.bytes, 3000);
}

TEST(Import, ExchangeOfTensorRtLlm) {
  const auto rows = imported(origin +
                             "moe_dtype,num_tokens,hidden_size,topk,num_experts,moe_ep_size,distribution,latency\n"
                             "TRTLLM,1,x,alltoall_combine,NVLinkOneSided,nvfp4,4,7168,8,256,32,balanced,0.01\n");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].op, "nvlink_combine");
  EXPECT_EQ(rows[0].dtype, "bf16");
  EXPECT_EQ(rows[0].shape.ranks, 32);
}

}  // namespace servecast::import_test
