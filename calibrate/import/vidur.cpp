// Profiles of the Vidur simulator (MIT): operators of one layer in ms, rounded to 1 us; sizes in bytes.
#include <array>

#include "calibrate/import/importer.h"
#include "models/base/units.h"

namespace servecast {
namespace {

Sample start(const ImportContext& context, const char* op, const char* kernel) {
  return {.gpu = context.gpu,
          .driver = "",
          .engine = "vidur",
          .version = "",
          .kernel = kernel,
          .op = op,
          .dtype = "fp16",
          .kv_dtype = "",
          .mode = ""};
}

/// Takes the row's median of one operator; below its resolution, and in a row that lacks it, there is none.
void take_median(const Row& row, const std::string& name, Sample&& s, const TakeSample& take) {
  const std::string column = "time_stats." + name + ".median";
  if (!row.has(column) || row.text(column).empty()) return;
  s.median_s = row.number(column) / ms_per_s;
  if (s.median_s <= 0) return;
  const std::string spread = "time_stats." + name + ".std";
  if (row.has(spread) && !row.text(spread).empty()) s.noise_fraction = row.number(spread) / ms_per_s / s.median_s;
  take(std::move(s));
}

void read_mlp(const Row& row, const ImportContext& context, const TakeSample& take) {
  const std::int64_t tp = row.count("num_tensor_parallel_workers");
  const std::int64_t m = row.count("num_tokens"), hidden = row.count("n_embd");
  const std::int64_t head_dim = hidden / row.count("n_head");
  const std::int64_t queries = hidden / tp, keys = row.count("n_kv_head") * head_dim / tp;
  const std::int64_t width = row.count("n_expanded_embd") / tp;
  const std::int64_t up = (row.text("use_gated_mlp") == "True" ? 2 : 1) * width;
  struct Product {
    const char* name;
    std::int64_t n, k;
  };
  for (const Product& p : {Product{"attn_pre_proj", queries + 2 * keys, hidden},
                           {"attn_post_proj", hidden, queries},
                           {"mlp_up_proj", up, hidden},
                           {"mlp_down_proj", hidden, width}}) {
    Sample s = start(context, "gemm", p.name);
    s.dtype = "bf16";  // fp16 runs at the same rates
    s.shape = {.m = m, .n = p.n, .k = p.k};
    take_median(row, p.name, std::move(s), take);
  }
  struct Elementwise {
    const char* name;
    const char* mode;
    std::int64_t values;  // read and written per token
  };
  for (const Elementwise& e : {Elementwise{"input_layernorm", "norm", 2 * hidden},
                               {"add", "add", 3 * hidden},
                               {"mlp_act", "activation", up + width},
                               {"attn_rope", "rope", 2 * (queries + keys)}}) {
    Sample s = start(context, "elementwise", e.name);
    s.mode = e.mode;
    s.shape = {.bytes = 2 * m * e.values};
    take_median(row, e.name, std::move(s), take);
  }
}

void read_layer_attention(const Row& row, const ImportContext& context, const TakeSample& take) {
  const bool prompt = row.text("is_prefill") == "True";
  const std::int64_t tp = row.count("num_tensor_parallel_workers");
  const std::int64_t tokens = prompt ? row.count("prefill_chunk_size") : 1;
  Sample s = start(context, prompt ? "prefill_attention" : "decode_attention", "flash_attention");
  s.dtype = "bf16";
  s.kv_dtype = "bf16";
  s.shape = {.sequences = row.count("batch_size"),
             .tokens = tokens,
             .context = row.count("kv_cache_size") + tokens,
             .q_heads = row.count("n_q_head") / tp,
             .kv_heads = row.count("n_kv_head") / tp,
             .head_dim = row.count("n_embd") / row.count("n_q_head")};
  take_median(row, prompt ? "attn_prefill" : "attn_decode", std::move(s), take);
}

/// Fewer devices per node than workers: the vector crosses the network.
void read_collective(const Row& row, const ImportContext& context, const TakeSample& take) {
  const bool reduce = row.has("time_stats.all_reduce.median");
  Sample s = start(context, reduce ? "all_reduce" : "p2p", "nccl");
  s.shape = {.bytes = row.count("size"), .ranks = row.count("num_workers")};
  s.mode = row.count("devices_per_node") < s.shape.ranks ? "across_nodes" : "nccl";
  take_median(row, reduce ? "all_reduce" : "send_recv", std::move(s), take);
}

}  // namespace

const std::vector<TableFormat>& vidur_formats() {
  static const std::vector<TableFormat> formats{
      {"Vidur mlp", {"time_stats.mlp_up_proj.median", "n_expanded_embd", "num_tokens"}, read_mlp},
      {"Vidur attention", {"prefill_chunk_size", "kv_cache_size", "is_prefill"}, read_layer_attention},
      {"Vidur all_reduce", {"time_stats.all_reduce.median", "num_workers", "size"}, read_collective},
      {"Vidur send_recv", {"time_stats.send_recv.median", "num_workers", "size"}, read_collective},
  };
  return formats;
}

}  // namespace servecast
