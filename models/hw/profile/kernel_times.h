#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/hw/llm/data_type.h"
#include "models/hw/profile/operator_model.h"

namespace servecast {

struct GemmCall {
  std::string_view dtype = "bf16";
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

struct AttentionHeads {
  std::int64_t q_heads = 0;  // on this GPU
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t window = 0;  // 0: attends to everything
  std::string_view kv_dtype = "bf16";
};

/// Latent attention: of prompts query_size is that of a head's query and key vectors, of decoding that of the latent
/// vector.
struct LatentHeads {
  std::int64_t heads = 0;  // on this GPU
  std::int64_t query_size = 0;
  std::int64_t value_size = 0;
  std::string_view kv_dtype = "bf16";
};

/// Benchmarks' routing that comes closest to that of trained routers over many small experts: on H100, prompts of
/// gpt-oss-120b with vLLM 0.22 (39,065 tokens/s, llm-d's calibration) take what these rows add up to, and a third
/// less with even routing. Over few experts (Mixtral's 8) even routing does.
inline constexpr std::string_view trained_routing = "power_law_1.01";
/// The same of experts spread over groups of GPUs: what the fullest takes. Of fewer tokens AIConfigurator's tables
/// give one GPU all visits.
inline constexpr std::string_view trained_groups = "power_law_1.01 groups";
inline constexpr std::int64_t trained_groups_from_tokens = 8;
inline constexpr std::int64_t fine_grained_experts = 32;

struct MoeCall {
  std::string_view dtype = "bf16";
  std::string_view routing = "balanced";
  bool as_trained = true;             // trained_routing where it was measured, in place of even routing
  std::string_view backend = "auto";  // whichever is fastest
  std::int64_t tokens = 0;
  std::int64_t hidden = 0;
  std::int64_t width = 0;  // of one expert, before it is split
  std::int64_t experts = 0;
  std::int64_t top_k = 0;
  std::int64_t tensor_parallel = 1;
  std::int64_t expert_parallel = 1;
};

/// Into the latent space, nope_size to latent_size for each head, and back to value_size.
struct LatentProductsCall {
  std::string_view dtype = "bf16";
  std::int64_t tokens = 0;
  std::int64_t heads = 0;  // on this GPU
  std::int64_t nope_size = 0;
  std::int64_t value_size = 0;
  std::int64_t latent_size = 0;
};

/// Tokens to their experts' GPUs, or back: inside one node.
struct ExchangeCall {
  std::string_view op = "ep_dispatch";  // or ep_combine, nvlink_dispatch, nvlink_combine
  std::string_view mode = "normal";     // DeepEP's: or ll, low latency
  std::int64_t tokens = 0;              // of each GPU
  std::int64_t hidden = 0;
  std::int64_t top_k = 0;
  std::int64_t ranks = 8;
};

struct CollectiveCall {
  std::string_view op = "all_reduce";
  std::string_view mode = "graph";  // graph or eager (the engine's own), nccl
  double bytes = 0;
  std::int64_t ranks = 1;
};

/// Time of any kernel of a profile. Nothing where the profile has no fit that could stand for it; where one of
/// another data type, routing, mode or head size does, `extrapolated` is set.
class KernelTimes {
 public:
  /// Requires a profile without problems (see profile_problem()).
  explicit KernelTimes(const KernelProfile& profile);

  double elementwise_bytes_per_s() const { return elementwise_bytes_per_s_; }

  /// In a server that is busy for seconds. Tables time products one by one, and the clock falls only under the
  /// longest of them: in bf16 with vLLM 0.24's, 32,768 rows take 3 % longer per row than 4,096 on H200, 8 % on B200.
  /// So shorter ones that arithmetic bounds take as long per row as the longest, up to a tenth longer than by
  /// themselves.
  std::optional<KernelTime> gemm(const GemmCall& call) const;
  /// One chunk of a prompt after `prefix` tokens: as a whole prompt with as many query-key pairs,
  /// sqrt(2 tokens (prefix + tokens / 2)) long. With a window a token meets at most that many.
  std::optional<KernelTime> prefill(const AttentionHeads& heads, double tokens, double prefix) const;
  std::optional<KernelTime> decode(const AttentionHeads& heads, std::int64_t sequences, double mean_context) const;
  std::optional<KernelTime> mla_prefill(const LatentHeads& heads, double tokens, double prefix) const;
  std::optional<KernelTime> mla_decode(const LatentHeads& heads, std::int64_t sequences, double mean_context) const;
  /// Of the model's own layer where that was measured, else of experts of any size.
  std::optional<KernelTime> moe(const MoeCall& call) const;
  /// The two products of decoding latent attention that its kernel leaves out; nothing where the profile lacks them.
  std::optional<KernelTime> mla_bmm(const LatentProductsCall& call) const;
  std::optional<KernelTime> collective(const CollectiveCall& call) const;
  /// Where NCCL itself was measured.
  std::optional<KernelTime> all_reduce_by_nccl(double bytes, std::int64_t ranks) const;
  std::optional<KernelTime> exchange(const ExchangeCall& call) const;
  /// Kernels that move rows, by mode; "quantize" finds scales and quantises. Nothing else stands in.
  std::optional<KernelTime> elementwise(double bytes, std::string_view mode) const;
  /// Gate, permute and combine of an expert layer; nothing unless all three were timed.
  std::optional<KernelTime> expert_rows(const MoeCall& call) const;
  /// So many empty kernels, one after the other: eager, or in a CUDA graph. Nothing else stands in.
  std::optional<KernelTime> launches(std::int64_t count, std::string_view mode) const;

 private:
  struct Entry {
    std::string op, dtype, kv_dtype, mode;
    std::int64_t head_dim = 0;
    ExpertLayer layer{};
    OperatorModel model;
  };
  struct Wanted {
    std::string_view op{};
    std::string_view dtype{};
    std::string_view kv_dtype{};
    std::string_view mode{};
    std::int64_t head_dim = 0;
    ExpertLayer layer{};
  };
  /// The fit with fewest differences, those that matter most counted highest; null where none of the operator is.
  struct Match {
    const Entry* entry = nullptr;
    bool exact = false;
  };
  std::optional<KernelTime> moe(const MoeCall& call, std::string_view routing, const KernelShape& shape,
                                bool exact) const;
  Match find(const Wanted& wanted) const;
  std::optional<KernelTime> time(const Wanted& wanted, const KernelShape& shape) const;
  std::optional<KernelTime> exact_time(const Wanted& wanted, const KernelShape& shape) const;
  static std::optional<KernelTime> time(const Match& match, const Wanted& wanted, const KernelShape& shape);

  double elementwise_bytes_per_s_;
  std::vector<Entry> entries_;
};

/// Mode of experts whose kernels are those of one backend: "cutlass balanced".
std::string of_backend(std::string_view backend, std::string_view routing);
/// Whether the profile has experts of this type by this backend apart from the fastest.
bool has_backend(const KernelProfile& profile, DataType experts, std::string_view backend);
/// Whether the profile has matrix products with weights of this type.
bool has_products(const KernelProfile& profile, DataType weights);

/// What is wrong with the operators of a profile, and which one; nothing where all can be used.
struct ProfileProblem {
  std::size_t entry = 0;
  std::string message;
};
std::optional<ProfileProblem> profile_problem(const KernelProfile& profile);

}  // namespace servecast
