#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/hw/latency/step_latency.h"

namespace servecast {

/// Measured or predicted operator times in milliseconds, dense over their arguments.
struct StepTables {
  using ByTokens = std::vector<double>;  // [tokens]; entry 0 is not used

  // Per layer, by tokens in the batch.
  ByTokens attn_pre_proj{};
  ByTokens attn_post_proj{};
  ByTokens attn_rope{};
  ByTokens attn_kv_cache_save{};
  ByTokens input_layernorm{};
  ByTokens post_attention_layernorm{};
  ByTokens mlp_up_proj{};
  ByTokens mlp_down_proj{};
  ByTokens mlp_act{};
  ByTokens add{};
  std::optional<ByTokens> all_reduce{};  // only with tensor parallelism
  std::optional<ByTokens> send_recv{};   // per stage; only with pipeline parallelism

  /// Rows of equal length; the second argument counts columns.
  struct Grid {
    std::size_t columns = 0;
    std::vector<double> cells{};

    bool has(std::size_t row, std::size_t column) const {
      return column < columns && row * columns + column < cells.size();
    }
    double at(std::size_t row, std::size_t column) const { return cells[row * columns + column]; }
  };
  Grid attn_decode{};   // [sequences][context / 64]
  Grid attn_prefill{};  // [prefix / 64][chunk tokens]

  std::int64_t max_tokens() const { return static_cast<std::int64_t>(attn_pre_proj.size()) - 1; }
};

struct StepTablesShape {
  std::int64_t stages = 1;
  std::int64_t layers_per_stage = 1;
};

/// Step time from lookup tables, by the rules of the Vidur simulator (MLSys'24), in milliseconds:
///   layers ((sum of per-layer operators at the tokens, rounded up to 8 (the cache write: exactly))
///     + decode(sequences, mean context cut to a whole number and rounded up to 64) x 1.1 with more than one sequence
///     + prefill(sum of prefixes, each rounded up to 64; root of the summed squares of the chunks) x 1.1 with more
///     than
///       one + 2 (all-reduce + 0.02 launch) with tensor parallelism) + send_recv of a stage that is not the last.
/// Arguments beyond a table take its last entry and are reported as extrapolated. Tables do not tell arithmetic from
/// memory traffic: a step with prompt tokens counts as bound by arithmetic, one without as bound by memory.
std::unique_ptr<StepLatency> make_step_tables(StepTables tables, const StepTablesShape& shape);

}  // namespace servecast
