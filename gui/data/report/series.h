#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "gui/data/report/csv_columns.h"

namespace servecast::gui {

/// What series.csv has of each second.
enum class Amount : std::uint8_t {
  arrivals,
  running,
  waiting,
  kv_used_fraction,
  busy_gpus,
  prompt_tokens_per_s,
  output_tokens_per_s,
  watts,
  usd,
  rented_gpus,  // only where replicas come and go
};
inline constexpr std::array<std::string_view, 10> amount_names{
    "arrivals", "running", "waiting", "kv_used_fraction", "busy_gpus", "prompt_tokens_per_s", "output_tokens_per_s",
    "watts",    "usd",     "rented_gpus"};

/// series.csv of one pool.
struct PoolSeries {
  std::string pool{};
  Column time_s{};
  std::array<Column, amount_names.size()> amount{};

  const Column& operator[](Amount which) const { return amount[static_cast<std::size_t>(which)]; }
};

/// Pools in order of their first row. Throws UserError as CsvColumns does.
std::vector<PoolSeries> read_series(const std::string& file);

}  // namespace servecast::gui
