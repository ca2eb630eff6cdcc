#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "models/hw/llm/kv_groups.h"
#include "models/hw/llm/llm.h"
#include "models/hw/llm/shape.h"

namespace servecast {

/// KV that one GPU of a replica has and one of another replica wants. GPUs are those that have KV of one request, all
/// or with several ranks those of one: counted stage by stage, as Shape::gpu_of_rank() does.
struct KvShard {
  std::int64_t from_gpu = 0;
  std::int64_t to_gpu = 0;
  double bytes_per_token = 0;          // of layers that keep all tokens
  double bounded_bytes_per_token = 0;  // of those that keep a bounded part

  /// Of the tokens `from` to `to` of a sequence whose layers are kept as these groups say. A state moves as a whole,
  /// with the last of them, as every token changes it.
  double bytes(double from, double to, const KvGroups& groups, bool last = true) const {
    return (to - from) * bytes_per_token + kept(from, to, groups, last) * bounded_bytes_per_token;
  }

 private:
  static double kept(double from, double to, const KvGroups& groups, bool last) {
    const auto most = static_cast<double>(groups.window_tokens);
    if (groups.from_the_first) return last ? most : 0;
    if (groups.chunked) return to - std::max(from, std::floor(to / most) * most);  // what the next token sees
    return most > 0 ? std::min(to - from, most) : to - from;
  }
};

/// How the KV of a sequence is divided when it moves between replicas of these shapes: every GPU of the second gets
/// the heads and layers that it will hold, each from a GPU of the first that holds them. Heads that several GPUs hold
/// (more GPUs than heads, or the latent vector of MLA) are copied, and taken from the holders in turn. In order of
/// `to_gpu`, then `from_gpu`.
std::vector<KvShard> kv_shards(const Llm& llm, DataType kv, const Shape& from, const Shape& to);

}  // namespace servecast
