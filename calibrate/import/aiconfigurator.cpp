// Tables of NVIDIA's aiconfigurator (Apache-2.0). Latencies are in ms (DeepEP: us); collective sizes count elements.
#include <algorithm>
#include <array>
#include <cctype>

#include "calibrate/import/importer.h"
#include "models/base/names.h"
#include "models/base/units.h"

namespace servecast {
namespace {

struct TypeName {
  std::string_view theirs;
  std::string_view ours;
  std::int64_t bytes;
};
/// fp8_block: scaled per 128 x 128 block; fp8_static: the scale of the inputs is known. "sq": SmoothQuant, int8
/// weights and activations.
constexpr std::array type_names{
    TypeName{"bfloat16", "bf16", 2},
    TypeName{"half", "fp16", 2},
    TypeName{"fp8", "fp8", 1},
    TypeName{"fp8_static", "fp8_static", 1},
    TypeName{"fp8_block", "fp8_block", 1},
    TypeName{"int8_wo", "int8", 1},
    TypeName{"int4_wo", "int4", 1},
    TypeName{"sq", "w8a8", 1},
    TypeName{"w4afp8", "w4a8", 1},
    TypeName{"w4a16_mxfp4", "mxfp4", 1},
    TypeName{"w4a8_mxfp4_mxfp8", "w4a8_mxfp4", 1},
    TypeName{"nvfp4", "nvfp4", 1},
    TypeName{"int8", "bytes", 1},
};

const TypeName& type(const Row& row, std::string_view column) {
  const std::string_view text = row.text(column);
  const auto found = std::ranges::find(type_names, text, &TypeName::theirs);
  if (found != type_names.end()) return *found;
  std::vector<std::string> known;
  for (const TypeName& name : type_names) known.emplace_back(name.theirs);
  row.fail(column, unknown_name("data type", text, known));
}

std::string lower(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return all;
}

Sample start(const Row& row, const ImportContext& context, const char* op) {
  return {.gpu = context.gpu,
          .driver = "",
          .engine = lower(row.text("framework")),
          .version = std::string(row.text("version")),
          .kernel = std::string(row.text("kernel_source")),
          .op = op,
          .dtype = "",
          .kv_dtype = "",
          .mode = ""};
}

void read_gemm(const Row& row, const ImportContext& context, const TakeSample& take) {
  Sample s = start(row, context, "gemm");
  s.dtype = type(row, "gemm_dtype").ours;
  s.shape = {.m = row.count("m"), .n = row.count("n"), .k = row.count("k")};
  if (s.shape.m == 0) return;  // some sets time a product without rows
  s.median_s = row.seconds("latency", ms_per_s);
  take(std::move(s));
}

void read_attention(const Row& row, const ImportContext& context, const TakeSample& take) {
  const bool prompt = row.text("op_name") == "context_attention";
  Sample s = start(row, context, prompt ? "prefill_attention" : "decode_attention");
  s.dtype = type(row, "attn_dtype").ours;
  s.kv_dtype = type(row, "kv_cache_dtype").ours;
  const std::int64_t tokens = row.count("isl");
  s.shape = {.sequences = row.count("batch_size"),
             .tokens = tokens,
             .context = tokens + row.count("step"),
             .q_heads = row.count("num_heads"),
             .kv_heads = row.count("num_key_value_heads"),
             .head_dim = row.count("head_dim"),
             .window = row.has("window_size") ? row.count("window_size") : 0};
  s.median_s = row.seconds("latency", ms_per_s);
  take(std::move(s));
}

/// DeepSeek-V3: latent vector 512 + 64, query and key 128 + 64, value 128. Kernel tables time the attention alone;
/// module tables its projections too, and SGLang's for wide expert parallelism (mla_dtype fp8_block) likewise with
/// the cache's length in `isl`, so these are modes of their own.
void read_mla(const Row& row, const ImportContext& context, const TakeSample& take) {
  const bool prompt = row.text("op_name").find("context") != std::string_view::npos;
  const bool wide = row.text("mla_dtype") == "fp8_block";
  const bool module = row.has("gemm_type") && !wide;
  Sample s = start(row, context, prompt ? "mla_prefill" : "mla_decode");
  s.dtype = module ? type(row, "gemm_type").ours : type(row, "mla_dtype").ours;
  s.kv_dtype = type(row, "kv_cache_dtype").ours;
  s.mode = wide ? "module_wide" : module ? "module" : "";
  const std::int64_t tokens = wide && !prompt ? 1 : row.count("isl");
  s.shape = {.n = prompt ? 192 : 576,
             .k = prompt ? 128 : 512,
             .sequences = row.count("batch_size"),
             .tokens = tokens,
             .context = wide && !prompt     ? row.count("isl")
                        : module && !prompt ? row.count("step")
                                            : tokens + row.count("step"),
             .q_heads = row.count("num_heads"),
             .kv_heads = 1};
  s.median_s = row.seconds("latency", ms_per_s);
  take(std::move(s));
}

/// Products behind DeepEP's exchange are others: contiguous groups in prompts, masked ones in decoding. "uniform"
/// there is what other tables call "balanced".
std::string expert_mode(std::string_view op_name, std::string_view distribution) {
  std::string mode(distribution);
  const std::string skew = distribution == "uniform" ? "" : "_" + mode;
  if (op_name == "moe_context") return "wide_prefill" + skew;
  if (op_name == "moe_generation") return "wide_decode" + skew;
  return op_name.starts_with("wideep") ? std::string(op_name) + "_" + mode : mode;
}

void read_moe(const Row& row, const ImportContext& context, const TakeSample& take) {
  Sample s = start(row, context, "moe");
  s.dtype = type(row, "moe_dtype").ours;
  s.mode = expert_mode(row.text("op_name"), row.text("distribution"));
  s.shape = {.m = row.count("num_tokens"),
             .n = row.count("inter_size"),
             .k = row.count("hidden_size"),
             .experts = row.count("num_experts"),
             .top_k = row.count("topk"),
             .tensor_parallel = row.count("moe_tp_size"),
             .expert_parallel = row.count("moe_ep_size")};
  s.median_s = row.seconds("latency", ms_per_s);
  take(std::move(s));
}

/// Into the latent space 128 -> 512 and back 512 -> 128, of each head.
void read_mla_bmm(const Row& row, const ImportContext& context, const TakeSample& take) {
  Sample s = start(row, context, "mla_bmm");
  const bool into = row.text("op_name") == "mla_gen_pre";
  s.dtype = type(row, "bmm_dtype").ours;
  s.mode = into ? "pre" : "post";
  s.shape = {
      .m = row.count("num_tokens"), .n = into ? 512 : 128, .k = into ? 128 : 512, .q_heads = row.count("num_heads")};
  s.median_s = row.seconds("latency", ms_per_s);
  take(std::move(s));
}

/// Of an m x k matrix: read in bf16, written in fp8. compute_scale is a difference of two times, cut at 0: rows of 0
/// say nothing.
void read_quantize(const Row& row, const ImportContext& context, const TakeSample& take) {
  if (row.number("latency") == 0) return;
  Sample s = start(row, context, "elementwise");
  s.dtype = type(row, "quant_dtype").ours;
  s.mode = row.text("op_name");
  s.shape = {.bytes = 3 * row.count("m") * row.count("k")};
  s.median_s = row.seconds("latency", ms_per_s);
  take(std::move(s));
}

/// TensorRT-LLM's exchange over NVLink: the one-sided kernels that it chooses, and older ones in three steps, which
/// are of modes that no fit takes. Results come back in 16 bits.
void read_alltoall(const Row& row, const ImportContext& context, const TakeSample& take) {
  const std::string_view name = row.text("op_name");
  const bool combine = name.find("combine") != std::string_view::npos;
  const bool one_sided = row.text("kernel_source") == "NVLinkOneSided";
  Sample s =
      start(row, context,
            one_sided ? (combine ? "nvlink_combine" : "nvlink_dispatch") : (combine ? "ep_combine" : "ep_dispatch"));
  s.dtype = combine && one_sided ? "bf16" : type(row, "moe_dtype").ours;
  if (!one_sided) s.mode = s.kernel + "_" + std::string(name);
  s.shape = {.m = row.count("num_tokens"),
             .k = row.count("hidden_size"),
             .experts = row.count("num_experts"),
             .top_k = row.count("topk"),
             .ranks = row.count("moe_ep_size")};
  s.median_s = row.seconds("latency", ms_per_s);
  take(std::move(s));
}

/// Both products of a dense MLP and what lies between.
void read_dense_mlp(const Row& row, const ImportContext& context, const TakeSample& take) {
  Sample s = start(row, context, "moe");
  s.dtype = type(row, "quant_type").ours;
  s.mode = "module_mlp";
  s.shape = {.m = row.count("num_token"),
             .n = row.count("intermediate_size"),
             .k = row.count("hidden_size"),
             .experts = 1,
             .top_k = 1,
             .tensor_parallel = 1,
             .expert_parallel = 1};
  s.median_s = row.seconds("avg_ms", ms_per_s);
  take(std::move(s));
}

void read_custom_all_reduce(const Row& row, const ImportContext& context, const TakeSample& take) {
  Sample s = start(row, context, "all_reduce");
  const TypeName& sent = type(row, "allreduce_dtype");
  s.dtype = sent.ours;
  s.mode = row.has("backend") && row.text("backend").ends_with("eager") ? "eager" : "graph";
  s.shape = {.bytes = row.count("message_size") * sent.bytes, .ranks = row.count("num_gpus")};
  s.median_s = row.seconds("latency", ms_per_s);
  take(std::move(s));
}

void read_nccl(const Row& row, const ImportContext& context, const TakeSample& take) {
  const std::string_view name = row.text("op_name");
  Sample s = start(row, context, name == "alltoall" ? "all_to_all" : "");
  if (s.op.empty()) s.op = name;
  if (operator_kind(s.op) == nullptr) row.fail("op_name", "'" + s.op + "' is no collective that is known here");
  s.engine = "nccl";
  s.mode = "nccl";
  const TypeName& sent = type(row, "nccl_dtype");
  s.dtype = sent.ours;
  s.shape = {.bytes = row.count("message_size") * sent.bytes, .ranks = row.count("num_gpus")};
  s.median_s = row.seconds("latency", ms_per_s);
  take(std::move(s));
}

/// DeepEP inside one node of 8 GPUs: fp8 out (one byte a value), bf16 back.
void read_deepep(const Row& row, const ImportContext& context, const TakeSample& take, std::string_view dispatch,
                 std::string_view combine) {
  for (const bool out : {true, false}) {
    Sample s = start(row, context, out ? "ep_dispatch" : "ep_combine");
    s.dtype = out ? "fp8" : "bf16";
    s.mode = row.text("op_name");
    if (row.has("dispatch_sms")) s.kernel += "-" + std::string(row.text(out ? "dispatch_sms" : "combine_sms")) + "sm";
    s.shape = {.m = row.count("num_token"),
               .k = row.count("hidden_size"),
               .experts = row.count("num_experts"),
               .top_k = row.count("num_topk"),
               .ranks = 8 * row.count("node_num")};
    s.median_s = row.seconds(out ? dispatch : combine, us_per_s);
    take(std::move(s));
  }
}
void read_deepep_normal(const Row& row, const ImportContext& context, const TakeSample& take) {
  read_deepep(row, context, take, "dispatch_transmit_us", "combine_transmit_us");
}
void read_deepep_low_latency(const Row& row, const ImportContext& context, const TakeSample& take) {
  read_deepep(row, context, take, "dispatch_avg_t_us", "combine_avg_t_us");
}

}  // namespace

const std::vector<TableFormat>& aiconfigurator_formats() {
  static const std::vector<TableFormat> formats{
      {"aiconfigurator gemm", {"gemm_dtype", "m", "n", "k", "latency"}, read_gemm},
      {"aiconfigurator attention", {"attn_dtype", "kv_cache_dtype", "batch_size", "step", "latency"}, read_attention},
      {"aiconfigurator MLA", {"mla_dtype", "kv_cache_dtype", "batch_size", "step", "latency"}, read_mla},
      {"aiconfigurator moe", {"moe_dtype", "num_tokens", "moe_tp_size", "distribution", "latency"}, read_moe},
      {"aiconfigurator all-to-all", {"moe_dtype", "num_tokens", "moe_ep_size", "distribution"}, read_alltoall},
      {"aiconfigurator MLA products", {"bmm_dtype", "num_tokens", "num_heads"}, read_mla_bmm},
      {"aiconfigurator quantize", {"quant_dtype", "m", "k", "latency"}, read_quantize},
      {"aiconfigurator MLP", {"quant_type", "num_token", "avg_ms"}, read_dense_mlp},
      {"aiconfigurator custom all-reduce", {"allreduce_dtype", "num_gpus", "message_size"}, read_custom_all_reduce},
      {"aiconfigurator nccl", {"nccl_dtype", "num_gpus", "message_size"}, read_nccl},
      {"aiconfigurator DeepEP normal", {"num_topk", "dispatch_transmit_us"}, read_deepep_normal},
      {"aiconfigurator DeepEP low latency", {"num_topk", "dispatch_avg_t_us"}, read_deepep_low_latency},
  };
  return formats;
}

}  // namespace servecast
