#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/hw/llm/data_type.h"
#include "models/hw/llm/weight_types.h"

namespace servecast {

/// Mixture of experts: most layers send each token through a few of many small MLPs.
struct Experts {
  std::int64_t count = 0;
  std::int64_t active = 0;                   // experts per token
  std::int64_t intermediate = 0;             // width of one expert
  std::int64_t shared_intermediate = 0;      // summed width of the experts that every token passes
  std::int64_t first_dense_layers = 0;       // leading layers with a dense MLP
  std::int64_t layer_step = 1;               // of the others, every layer_step-th has experts
  std::vector<std::int64_t> dense_layers{};  // single layers without, by number in the whole model
  std::int64_t first_layer = 0;  // of a model of some layers: the number of its first one in the whole model
  bool router_bias = false;
  bool even_loads = false;   // a bias of each expert keeps them even (DeepSeek-V3, section 2.1.2)
  bool shared_gate = false;  // what the experts that every token passes give is gated

  bool operator==(const Experts&) const = default;
};

/// What a layer attends to.
enum class Attention : std::uint8_t {
  full,     // every token before
  sliding,  // the last `sliding_window` of them
  chunked,  // those since the last multiple of `attention_chunk` (Llama 4)
  linear,   // a state of fixed size, into which every token is written (LinearAttention)
  sparse,   // the tokens that an indexer chooses of all (SparseAttention)
};
constexpr std::size_t attention_kinds = 5;

/// Gated DeltaNet (Yang et al., ICLR 2025) as Qwen3-Next has it: a matrix per value head in place of keys and values,
/// behind a short convolution over queries, keys and values.
struct LinearAttention {
  std::int64_t key_heads = 0;
  std::int64_t value_heads = 0;
  std::int64_t key_size = 0;     // of a head
  std::int64_t value_size = 0;   // likewise
  std::int64_t convolution = 0;  // tokens that it looks at
  double state_bytes = 2;        // of an element of the matrix

  std::int64_t key_width() const { return key_heads * key_size; }
  std::int64_t value_width() const { return value_heads * value_size; }
  std::int64_t convolved_width() const { return 2 * key_width() + value_width(); }

  bool operator==(const LinearAttention&) const = default;
};

/// DeepSeek-V3.2's sparse attention: a small attention in 8 bits, the indexer, scores all tokens, and the `chosen`
/// best are attended to.
struct SparseAttention {
  std::int64_t heads = 0;      // of the indexer
  std::int64_t head_size = 0;  // likewise
  std::int64_t chosen = 0;

  bool operator==(const SparseAttention&) const = default;
};

/// Encoder of images: a transformer over patches beside the language model, in bf16, and a projection of patches,
/// several at a time, into the language model's tokens.
struct VisionEncoder {
  double parameters = 0;  // projection included
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  double patch_parameters = 0;         // of these, what each patch is multiplied with
  double token_parameters = 0;         // what each token is multiplied with: the projection
  std::int64_t patches_per_token = 1;  // of the language model
  std::int64_t whole_layers = 0;       // whose patches attend to all of their image
  std::int64_t window_patches = 0;     // to which those of the other layers attend

  /// Operations of the products of an image of so many tokens, and of its attention: 4 times the width for each pair
  /// of patches and layer.
  double product_flop(double tokens) const;
  double attention_flop(double tokens) const;

  bool operator==(const VisionEncoder&) const = default;
};

/// Multi-head latent attention (DeepSeek-V2): one compressed vector per token stands for the keys and values of
/// every head.
struct LatentAttention {
  std::int64_t query_rank = 0;  // 0: queries are not compressed
  std::int64_t kv_rank = 0;
  std::int64_t rope_head_size = 0;
  std::int64_t nope_head_size = 0;
  std::int64_t value_head_size = 0;

  bool operator==(const LatentAttention&) const = default;
};

/// How a model was made from another one, and what that costs in answers, as published.
struct Derivation {
  std::string from{};
  std::string how{};       // pruned, distilled
  double lost_points = 0;  // of a benchmark's score in percent, against that one
  std::string source{};

  bool operator==(const Derivation&) const = default;
};

/// The architecture of a decoder-only language model: what its size and its arithmetic follow from.
struct Llm {
  std::string name{};
  std::string repository{};  // on HuggingFace, or the folder of its files; empty: not known
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_size = 0;
  std::int64_t vocabulary = 0;
  std::int64_t intermediate = 0;          // of the dense MLP; 0 where every layer has experts
  std::int64_t learned_positions = 0;     // rows of a position table; 0: positions are computed
  std::vector<Attention> attention_of{};  // by layer; empty: all are alike, sliding where there is a window
  std::int64_t sliding_window = 0;        // tokens a sliding layer looks back
  std::int64_t attention_chunk = 0;       // tokens of a chunk, within which a chunked layer attends
  bool tied_embeddings = false;           // the LM head is the embedding table
  bool gated_mlp = true;                  // three matrices (SwiGLU); otherwise two
  bool layer_norm_bias = false;           // LayerNorm (scale and bias) instead of RMSNorm (scale)
  std::int64_t norms_per_layer = 2;       // phi: one
  bool qk_norm = false;
  bool gated_attention = false;  // outputs of full attention are gated by as many more query columns (Qwen3-Next)
  bool qkv_bias = false;
  bool output_bias = false;  // of the attention's output projection
  bool mlp_bias = false;
  bool lm_head_bias = false;
  bool attention_sinks = false;    // one learned logit per head (gpt-oss)
  std::string sampling = "plain";  // greedy, plain (temperature alone) or topk_topp: what its publisher asks for
  Checkpoints published{};
  std::optional<Experts> experts{};
  std::optional<LatentAttention> latent{};
  std::optional<Derivation> derivation{};  // where it was made from another model
  std::optional<LinearAttention> linear{};
  std::optional<SparseAttention> sparse{};
  std::optional<VisionEncoder> vision{};

  bool has_experts(std::int64_t layer) const;
  Attention attention(std::int64_t layer) const;
  /// It keeps no more of a sequence than bounded_tokens(), however long that gets.
  bool bounded(std::int64_t layer) const {
    const Attention kind = attention(layer);
    return kind == Attention::sliding || kind == Attention::chunked || kind == Attention::linear;
  }
  std::int64_t bounded_layers() const;
  /// A model of these of its layers alone, each of the kind that it has here.
  Llm only(std::int64_t first, std::int64_t last) const;
  std::int64_t expert_layers() const { return expert_layers_before(layers); }
  /// Of its first layers.
  std::int64_t expert_layers_before(std::int64_t end) const;
  /// Length of a query or key vector, and of a value vector, of one head.
  std::int64_t query_size() const { return latent ? latent->nope_head_size + latent->rope_head_size : head_size; }
  std::int64_t value_size() const { return latent ? latent->value_head_size : head_size; }

  bool operator==(const Llm&) const = default;
};

/// All weights; counted as the publishers do.
double parameters(const Llm& llm);
/// Weights that one token meets: of the experts only the chosen ones. The embedding table counts whole, as in most
/// published figures (gpt-oss counts without it).
double active_parameters(const Llm& llm);
/// Weights of one copy of the embedding table: what `active_parameters` counts although a token reads one row.
double embedding_parameters(const Llm& llm);

/// Norms within attention: of each head's queries and keys, or of what latent attention compresses them to.
inline std::int64_t more_norms(const Llm& llm) {
  if (llm.latent) return llm.latent->query_rank > 0 ? 2 : 1;
  return llm.qk_norm ? 2 : 0;
}

/// Weights of the layers `first` to `last` (exclusive).
struct LayerWeights {
  double split = 0;       // linear layers that tensor parallelism divides
  double replicated = 0;  // linear layers that every GPU of the group holds whole (down-projections of MLA)
  double kept = 0;        // norms, biases, expert router: whole on every GPU, and never quantised
  double attention = 0;   // of `split`; all that is replicated is attention's, too
  double output = 0;      // of `attention`, its last projection
  double routed = 0;      // of `split`, those of the routed experts
  double shared = 0;      // of `split`, those of the experts that every token passes

  double linear() const { return split + replicated; }
  /// Of the linear layers as they are stored.
  double linear_bytes(const WeightTypes& types) const {
    return (attention - output + replicated) * facts(types.attention).bytes + output * facts(types.output).bytes +
           routed * facts(types.experts).bytes + (split - attention - routed) * facts(types.mlp).bytes;
  }
};
LayerWeights layer_weights(const Llm& llm, std::int64_t first, std::int64_t last);
/// The same of those that one token meets: of routed experts only the chosen ones.
LayerWeights active_layer_weights(const Llm& llm, std::int64_t first, std::int64_t last);

/// Memory of the weights. Quantisation shrinks the linear layers only; embeddings, LM head, norms, biases and the
/// expert router stay bf16, as vLLM keeps them.
double weight_bytes(const Llm& llm, const WeightTypes& weights);

/// Keys and values of one token in one layer that keeps them: 2 x KV heads x head size, or the one latent vector of
/// MLA, with the indexer's key of sparse attention (8 bits, and one scale of 4 bytes for 128 numbers).
double kv_bytes_per_token_and_layer(const Llm& llm, DataType kv);
/// Of that, the indexer's.
double index_key_bytes(const SparseAttention& attention);
/// In all layers that keep every token. Those with a sliding window or chunks count in full, as if nothing were
/// dropped: see KvGroups.
double kv_bytes_per_token(const Llm& llm, DataType kv);
/// State of one sequence in one layer of linear attention: the matrices, and what the convolution looks back at.
double linear_state_bytes(const LinearAttention& attention);
/// What a bounded layer keeps of a sequence at most, as tokens of KV: the window, a chunk, or what takes the memory
/// of a state, rounded up. Requires such layers.
std::int64_t bounded_tokens(const Llm& llm, DataType kv);

/// Arithmetic for one token that attends to `context` tokens, itself included: 2 per active weight of every matrix
/// (LM head included, embedding look-up not), and 2 per element of each query-key and score-value product.
/// Left out: norms, activations, rotary embedding, softmax (below 1 %).
double flop_per_token(const Llm& llm, double context);
/// The attention's part of it, in one layer without a window.
double attention_flop_per_pair(const Llm& llm);
/// Arithmetic of linear attention for one token in one layer, by the recurrence.
double linear_attention_flop_per_token(const LinearAttention& attention);
/// attention_flop_per_pair() of a decode: MLA decodes in the latent space, scores against the whole latent vector,
/// values of its compressed part.
double decode_flop_per_pair(const Llm& llm);

}  // namespace servecast
