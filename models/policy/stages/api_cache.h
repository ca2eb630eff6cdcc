#pragma once
#include <cstdint>
#include <unordered_map>

#include "models/base/fields.h"
#include "models/policy/request.h"

namespace servecast {

/// What a provider remembers of prompts. OpenAI and Azure: prompts of 1,024 tokens and more, in steps of 128, gone
/// after 5 to 10 minutes without use; DeepSeek: steps of 64; Anthropic: 5 minutes from the last use.
struct ApiCacheTerms {
  std::int64_t least_tokens = 1024;
  std::int64_t step_tokens = 128;
  double ttl_s = 300;
  double usd_per_million_tokens = 0;
  double usd_per_million_written_tokens = 0;
  void fields(Fields& f) {
    f.field("least_tokens", least_tokens, "shorter beginnings are not looked for");
    f.field("step_tokens", step_tokens, "what is found is a multiple of this", at_least_one);
    f.field("ttl_s", ttl_s, "since its last use; then it is forgotten", positive);
    f.required("usd_per_million_tokens", usd_per_million_tokens, "price of prompt tokens that are found");
    f.field("usd_per_million_written_tokens", usd_per_million_written_tokens,
            "price of the others, on top of that of prompt tokens");
  }
};

/// Whose prompts it has seen, and when: leading blocks by their hash.
class ApiCache {
 public:
  explicit ApiCache(const ApiCacheTerms& terms) : terms_(terms) {}

  /// Leading tokens that are found; the prompt's blocks are remembered from now on.
  std::int64_t look_up(const Request& request, double now_s) {
    std::int64_t found = 0;
    bool leading = true;
    for (const BlockHash block : request.prefix_blocks) {
      const auto seat = seen_s_.try_emplace(block, -Request::forever).first;
      leading = leading && seat->second + terms_.ttl_s >= now_s;
      if (leading) ++found;
      seat->second = now_s;
    }
    const std::int64_t tokens = found * request.block_tokens / terms_.step_tokens * terms_.step_tokens;
    return tokens < terms_.least_tokens ? 0 : tokens;
  }

 private:
  ApiCacheTerms terms_;
  std::unordered_map<BlockHash, double> seen_s_{};  // when each was last used; never walked
};

}  // namespace servecast
