#include "sim/input/resolve/kv_layers.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

PoolProblem keeps_no_states(const Pool& pool) {
  return {".kv_cache", fmt::format("kv_cache {} cannot keep the states of {}'s linear attention; use paged, "
                                   "paged_prefix, paged_reserved or radix",
                                   pool.spec.kv_cache.policy(), pool.llm.name)};
}

PoolProblem keeps_everything(const Pool& pool) {
  return {
      ".memory.windowed_layers",
      fmt::format("kv_cache {} keeps every token of every layer; use paged, paged_prefix, paged_reserved or radix, "
                  "or windowed_layers: whole",
                  pool.spec.kv_cache.policy())};
}

/// Otherwise a chunk would not begin with a block.
std::optional<PoolProblem> chunk_problem(const Pool& pool, const KvCache& cache) {
  const std::int64_t block = std::max<std::int64_t>(cache.growth_tokens(), 1);
  const std::int64_t chunk = pool.kv_groups.chunk_tokens();
  if (chunk % block == 0) return std::nullopt;
  return PoolProblem{".kv_cache",
                     fmt::format("blocks of {} tokens do not divide the {} tokens within which layers of {} "
                                 "attend; block_tokens must be a divisor of that",
                                 block, chunk, pool.llm.name)};
}

}  // namespace

std::optional<PoolProblem> group_layers(Pool& pool) {
  pool.kv_groups = {.layers = pool.llm.layers};
  const auto cache = pool.spec.kv_cache.make();
  if (pool.llm.linear) {
    if (!cache->keeps_states()) return keeps_no_states(pool);
  } else {
    const MemorySettings memory = pool.spec.memory.over(pool.engine.memory);
    if (memory.windowed_layers == "whole" || pool.llm.bounded_layers() == 0) return std::nullopt;
    if (!cache->drops_outside_window()) {
      if (pool.spec.memory.windowed_layers == "window") return keeps_everything(pool);
      return std::nullopt;
    }
  }
  pool.kv_groups = kv_groups(pool.llm, *data_type(pool.spec.kv_cache_dtype));
  return chunk_problem(pool, *cache);
}

void add_model_notes(Pool& pool) {
  const Llm& llm = pool.llm;
  if (llm.linear)
    pool.notes.push_back(
        "linear attention has no measured kernel: its time is derived from its arithmetic and the bytes of its "
        "states");
  if (llm.sparse)
    pool.notes.push_back(
        fmt::format("the indexer of sparse attention has no measured kernel: its time is derived from its arithmetic "
                    "and the bytes of its keys; what it chooses is timed as {} tokens of full attention",
                    llm.sparse->chosen));
}

}  // namespace servecast
