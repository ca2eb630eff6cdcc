#include <fmt/format.h>

#include <cmath>

#include "models/policy/stages/vector_search.h"
#include "sim/claims/claim.h"
#include "sim/claims/claim_models.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

constexpr double block_tokens = 16;                       // of vLLM
constexpr double wasted_tokens = (block_tokens - 1) / 2;  // in a sequence's last block, on average
constexpr double chat_tokens = 161 + 338.0 / 2;  // ShareGPT half way through its answer (vLLM, SOSP'23, figure 11)

Finding kv_of_a_sequence(ClaimModels& models) {
  const double token_bytes = kv_bytes_per_token(models.llm("llama-2-7b"), DataType::bf16);
  return {token_bytes * 2048 / giga,
          fmt::format("2 x 32 layers x 4,096 x 2 bytes = {} bytes a token; 1.6 GB would "
                      "be {} tokens",
                      human::number(token_bytes), human::number(1.6 * giga / token_bytes))};
}

Finding kv_share(ClaimModels& models) {
  const Llm& llm = models.llm("llama-2-7b");
  const double weights = weight_bytes(llm, DataType::bf16);
  const double sequence = kv_bytes_per_token(llm, DataType::bf16) * 2048;
  const double sequences = std::ceil(0.6 / 0.4 * weights / sequence);
  return {percent * sequence / (weights + sequence),
          fmt::format("one sequence of 2,048 tokens beside {:.1f} GB of weights; 60 % from {:.0f} sequences at once",
                      weights / giga, sequences)};
}

Finding paged_use(ClaimModels&) {
  return {percent * chat_tokens / (chat_tokens + wasted_tokens),
          fmt::format("blocks of 16 waste {:.1f} tokens of the {:.0f} that a chat holds half way; the paper measured "
                      "20.4 to 38.2 % before and 96.3 % with paging (SOSP'23, figure 2)",
                      wasted_tokens, chat_tokens)};
}

Finding quantised_size(ClaimModels& models) {
  const Llm& llm = models.llm("llama-2-7b");
  const double int8 = weight_bytes(llm, DataType::int8) / giga;
  const double int4 = weight_bytes(llm, DataType::int4) / giga;
  return {int8, fmt::format("bf16 {:.1f} GB, int8 {:.1f} GB, int4 {:.1f} GB: two formats, two sizes; KV comes on top",
                            weight_bytes(llm, DataType::bf16) / giga, int8, int4)};
}

Finding fragmentation(ClaimModels&) {
  const auto wasted = [](double tokens) { return percent * wasted_tokens / (tokens + wasted_tokens); };
  return {wasted(chat_tokens), fmt::format("chat, blocks of 16; below {:.0f} tokens it is more: {:.0f} % at 60 (a "
                                           "caption)",
                                           wasted_tokens * (percent - 3) / 3, wasted(60))};
}

Finding experts_memory(ClaimModels& models) {
  const Llm& llm = models.llm("mixtral-8x7b");
  return {0,
          fmt::format("every expert stays in memory ({:.0f} GB); what shrinks is arithmetic, {:.0f} % of the weights "
                      "are active, unless experts are offloaded",
                      weight_bytes(llm, DataType::bf16) / giga, percent * active_parameters(llm) / parameters(llm))};
}

Finding long_contexts(ClaimModels& models) {
  const Llm& llm = models.llm("llama-3.1-70b");
  const double request = 131072 * kv_bytes_per_token(llm, DataType::bf16);
  const double room = 16 * 80e9 - weight_bytes(llm, DataType::bf16);
  return {std::floor(room / request),
          fmt::format("a 70B model holds {:.1f} GB of KV for 128 Ki tokens; 16 x 80 GB less "
                      "one copy of the weights is {} GB at the very most",
                      request / giga, human::number(room / giga))};
}

Finding deepseek_gpus(ClaimModels& models) {
  const Llm& llm = models.llm("deepseek-v3");
  const double weights = weight_bytes(llm, DataType::fp8);
  const double used = models.engine().memory.gpu_memory_utilization.value_or(default_utilization);
  const double node_bytes = 8 * used * models.gpu("h100_sxm_80g").hbm_bytes;
  const double h200_bytes = 8 * used * models.gpu("h200_sxm_141g").hbm_bytes;
  return {
      8 * std::ceil(weights / node_bytes),
      fmt::format(
          "{:.0f} GB in fp8 against the {:.0f} GB that vLLM takes of eight H100: two nodes; of eight H200 it takes "
          "{} GB",
          weights / giga, node_bytes / giga, human::number(h200_bytes / giga))};
}

constexpr double vectors = 200e9;
constexpr double code_bytes = 64;  // product quantisation: a byte for twelve of a vector's 768 numbers

Finding vector_nodes(ClaimModels& models) {
  const double node_bytes = models.node("dgx_h100").host_memory_bytes;
  const double coded = vectors * code_bytes;
  const double whole = vectors * 768 * 4;
  return {std::ceil(coded / node_bytes),
          fmt::format(
              "768 floats each: {:.0f} TB, {:.0f} such nodes; coded in 64 bytes (product quantisation): {:.1f} TB",
              whole / 1e12, std::ceil(whole / node_bytes), coded / 1e12)};
}

/// A query reads the codes that it compares with from DRAM, each node its share, all nodes at once.
Finding vector_search(ClaimModels&) {
  constexpr double node_bytes_per_s = 2 * 8 * 38.4e9;  // two Xeon 8480C, eight channels of DDR5-4800 each
  constexpr double stated_s = 0.01;
  const VectorSearchSettings all{.index = "flat",
                                 .bytes_per_vector = code_bytes,
                                 .shards = 3,
                                 .workers = 1,
                                 .thread_bytes_per_s = node_bytes_per_s,
                                 .server_bytes_per_s = node_bytes_per_s,
                                 .fixed_s = 0,
                                 .overhead_s = 0};
  const double scan_s = all.thread_s(vectors);
  VectorSearchSettings lists = all;  // one thread a query, all threads busy: 2 x 56 cores share the memory
  lists.index = "ivf";
  lists.workers = 112;
  lists.thread_bytes_per_s = VectorSearchSettings{}.thread_bytes_per_s;
  lists.lists = 1 << 20;
  lists.probes = 64;
  return {scan_s * 1e3,
          fmt::format(
              "one query over all codes of 64 bytes, three nodes of {:.0f} GB/s; within 10 ms they read "
              "{:.1f} GB, so an index must leave out all but {:.2f} % of the vectors, at {:.0f} queries/s. One of "
              "2^20 lists of which 64 are read takes {:.0f} ms on a thread of each node",
              node_bytes_per_s / giga, stated_s * 3 * node_bytes_per_s / giga, percent * stated_s / scan_s,
              1 / stated_s, lists.thread_s(vectors) * 1e3)};
}

}  // namespace

std::vector<Claim> memory_claims() {
  return {
      {'B', "Llama-2-7B holds 1.6 GB of KV for 2,048 tokens", Says::is, 1.6, "GB", kv_of_a_sequence},
      {'B', "KV takes more than 60 % of GPU memory in use", Says::at_least, 60, "%", kv_share},
      {'B', "vLLM raises the use of KV memory from 30 % to above 70 %", Says::is, {70, 75}, "%", paged_use},
      {'B', "INT4 or INT8 shrinks a 7B model from 14 GB to 6 GB", Says::at_most, 6, "GB", quantised_size},
      {'A', "fragmentation of KV memory stays below 3 %", Says::at_most, 3, "%", fragmentation},
      {'A', "a top-2 mixture of experts saves 60 % of GPU memory", Says::is, 60, "%", experts_memory},
      {'A', "contexts of 128K tokens are served on the 16 H100", Says::at_least, 1, "at once", long_contexts},
      {'C', "the whole DeepSeek-V3 needs 16 H100", Says::is, 16, "GPUs", deepseek_gpus},
      {'A', "200 billion vectors lie in the memory of its three nodes", Says::is, 3, "nodes", vector_nodes},
      {'A', "200 billion vectors are searched within 10 ms", Says::at_most, 10, "ms", vector_search},
  };
}

}  // namespace servecast
