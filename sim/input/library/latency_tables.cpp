#include "sim/input/library/latency_tables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "models/base/input_file.h"
#include "sim/input/files/line_reader.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

/// "<folder>/<name>.csv", or with ".gz".
std::optional<std::string> find_table(const std::string& folder, const std::string& name) {
  for (const char* extension : {".csv", ".csv.gz"})
    if (const fs::path file = fs::path(folder) / (name + extension); is_there(file)) return file.string();
  return std::nullopt;
}

std::string table_file(const std::string& folder, const std::string& name, const Place& where) {
  if (auto found = find_table(folder, name)) return *found;
  throw UserError(where, "the table folder '" + folder + "' has no " + name + ".csv or " + name + ".csv.gz");
}

/// Numbers of a CSV file, line by line.
class Rows {
 public:
  Rows(const std::string& file, std::string_view header) : lines_(file) {
    const std::optional<Line> first = lines_.next();
    if (!first || first->text != header) fail("must begin with the line '" + std::string(header) + "'");
  }

  /// False at the end. Every line must hold exactly N numbers of at least 0.
  template <std::size_t N>
  bool next(std::array<double, N>& numbers) {
    const std::optional<Line> line = lines_.next();
    if (!line) return false;
    const char* at = line->text.data();
    const char* const end = at + line->text.size();
    for (std::size_t i = 0; i < N; ++i) {
      const auto [stop, error] = std::from_chars(at, end, numbers[i]);
      const bool ended = i + 1 == N ? stop == end : stop != end && *stop == ',';
      if (error != std::errc() || !ended || !std::isfinite(numbers[i]) || numbers[i] < 0)
        fail("must hold " + std::to_string(N) + " numbers of at least 0, with commas between");
      at = stop + 1;
    }
    return true;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw UserError(Place{.file = lines_.file(), .line = lines_.current().number}, message);
  }

 private:
  LineReader lines_;
};

/// num_tokens,ms with tokens counting up from 1.
StepTables::ByTokens by_tokens(const std::string& file) {
  Rows rows(file, "num_tokens,ms");
  StepTables::ByTokens table{0};
  for (std::array<double, 2> row; rows.next(row);) {
    if (row[0] != static_cast<double>(table.size()))
      rows.fail("num_tokens must be " + std::to_string(table.size()) + " here: 1, 2, 3 ... without gaps");
    table.push_back(row[1]);
  }
  if (table.size() == 1) rows.fail("has no rows");
  return table;
}

struct Cell {
  double row = 0;
  double column = 0;
  double ms = 0;
};

/// Puts cells into a grid; every one of rows `first_row`... and columns `first_column`... must be there once.
StepTables::Grid grid(const Rows& rows, const std::vector<Cell>& cells, std::size_t first_row,
                      std::size_t first_column) {
  if (cells.empty()) rows.fail("has no rows");
  std::size_t last_row = 0;
  std::size_t last_column = 0;
  for (const Cell& cell : cells) {
    if (cell.row != std::floor(cell.row) || cell.column != std::floor(cell.column) || cell.row > 1e6 ||
        cell.column > 1e6)
      rows.fail("a size is no multiple of 64, no square or beyond all reason");
    last_row = std::max(last_row, static_cast<std::size_t>(cell.row));
    last_column = std::max(last_column, static_cast<std::size_t>(cell.column));
  }
  if (last_row < first_row || last_column < first_column ||
      cells.size() != (last_row - first_row + 1) * (last_column - first_column + 1))
    rows.fail("must hold every combination of its two sizes once");
  StepTables::Grid out{.columns = last_column + 1, .cells = std::vector<double>((last_row + 1) * (last_column + 1))};
  std::vector<bool> seen(out.cells.size());
  for (const Cell& cell : cells) {
    const std::size_t at = static_cast<std::size_t>(cell.row) * out.columns + static_cast<std::size_t>(cell.column);
    if (seen[at]) rows.fail("holds a combination of its two sizes twice");
    seen[at] = true;
    out.cells[at] = cell.ms;
  }
  return out;
}

StepTables::Grid decode_grid(const std::string& file) {
  Rows rows(file, "batch_size,kv_cache_size,ms");
  std::vector<Cell> cells;
  for (std::array<double, 3> row; rows.next(row);) cells.push_back({row[0], row[1] / 64, row[2]});
  return grid(rows, cells, 1, 0);
}

StepTables::Grid prefill_grid(const std::string& file) {
  Rows rows(file, "kv_cache_size,prefill_chunk_size_squared,ms");
  std::vector<Cell> cells;
  for (std::array<double, 3> row; rows.next(row);) cells.push_back({row[0] / 64, std::sqrt(row[1]), row[2]});
  return grid(rows, cells, 0, 1);
}

/// The tables by tokens that every folder has, with their names.
std::array<std::pair<const char*, StepTables::ByTokens*>, 10> per_layer(StepTables& t) {
  return {{{"attn_pre_proj", &t.attn_pre_proj},
           {"attn_post_proj", &t.attn_post_proj},
           {"attn_rope", &t.attn_rope},
           {"attn_kv_cache_save", &t.attn_kv_cache_save},
           {"input_layernorm", &t.input_layernorm},
           {"post_attention_layernorm", &t.post_attention_layernorm},
           {"mlp_up_proj", &t.mlp_up_proj},
           {"mlp_down_proj", &t.mlp_down_proj},
           {"mlp_act", &t.mlp_act},
           {"add", &t.add}}};
}

}  // namespace

StepTables load_step_tables(const std::string& folder, const Place& where, std::int64_t stages) {
  StepTables t;
  const auto read = [&](const char* name) {
    const std::string file = table_file(folder, name, where);
    StepTables::ByTokens table = by_tokens(file);
    if (!t.attn_pre_proj.empty() && table.size() != t.attn_pre_proj.size())
      throw UserError(Place{.file = file}, "must cover as many tokens as attn_pre_proj");
    return table;
  };
  for (const auto& [name, table] : per_layer(t)) *table = read(name);
  if (find_table(folder, "all_reduce")) t.all_reduce = read("all_reduce");
  if (stages > 1) t.send_recv = read("send_recv");
  t.attn_decode = decode_grid(table_file(folder, "attn_decode", where));
  t.attn_prefill = prefill_grid(table_file(folder, "attn_prefill", where));
  return t;
}

}  // namespace servecast
