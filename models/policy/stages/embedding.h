#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/policy/gateway.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {

/// What turns texts into vectors: an embedding model on a pool, in an LLM call of one token, or servers of its own.
/// The defaults are an encoder of 110 million parameters (2 x 85 million FLOP a token beside its table of words)
/// at 8.5 TFLOP/s, and its start: 4 ms + 20 us per token.
struct EmbeddingSettings {
  std::string pool{};
  std::int64_t most_tokens = 512;
  double token_s = 20e-6;
  ServiceSettings servers{.median_s = 0.004, .workers = 4};
  void fields(Fields& f) {
    f.field("pool", pool, "pool or API tier of the embedding model; left out: servers of its own, as follows");
    f.field("most_tokens", most_tokens, "of a text; what is beyond is not read", at_least_one);
    f.field("token_s", token_s, "for each token, of these servers");
    servers.fields(f);
  }
};

/// Used by a stage: `call()` where a pool embeds, else `here_s()`.
class Embedding {
 public:
  explicit Embedding(const EmbeddingSettings& settings) : settings_(settings), servers_(settings.servers) {}

  void add_target(std::vector<NamedTarget>& targets) const {
    if (!settings_.pool.empty()) targets.push_back({"embedding.pool", settings_.pool});
  }
  void prepare(const GatewayContext& context) {
    if (!settings_.pool.empty()) pool_ = context.target(settings_.pool);
  }
  std::optional<SideCall> call(std::int64_t text_tokens) const {
    if (!pool_) return std::nullopt;
    return SideCall{.target = *pool_, .prompt_tokens = read(text_tokens), .output_tokens = 1};
  }
  double here_s(double now_s, std::int64_t text_tokens, Rng& rng) {
    return servers_.call_s(now_s, rng, settings_.token_s * static_cast<double>(read(text_tokens)));
  }
  double usd() const { return servers_.usd(); }

 private:
  std::int64_t read(std::int64_t tokens) const { return std::clamp<std::int64_t>(tokens, 1, settings_.most_tokens); }
  EmbeddingSettings settings_;
  GatewayService servers_;
  std::optional<TargetId> pool_{};
};

}  // namespace servecast
