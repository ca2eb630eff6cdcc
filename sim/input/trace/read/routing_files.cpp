#include "sim/input/trace/read/routing_files.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "models/base/input_file.h"
#include "sim/input/files/csv.h"
#include "sim/input/files/files_read.h"
#include "sim/input/files/numbers.h"

namespace servecast {
namespace {

constexpr std::int64_t most_layers = 100'000;
constexpr std::int64_t most_tokens = 1'000'000'000;

struct CloseGzip {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

/// All bytes of a gzip file, which must be as many.
std::vector<std::uint8_t> read_bytes(const std::string& file, std::int64_t bytes, const Place& named) {
  const std::unique_ptr<gzFile_s, CloseGzip> handle(gzopen(file.c_str(), "rb"));
  if (!handle) throw UserError(named, fmt::format("cannot open '{}'", file));
  FilesRead::note(file);
  std::vector<std::uint8_t> all(static_cast<std::size_t>(bytes) + 1);  // one more, to see that it ends
  std::size_t have = 0;
  while (have < all.size()) {
    const auto want = static_cast<unsigned>(std::min<std::size_t>(all.size() - have, 1U << 24));
    const int got = gzread(handle.get(), all.data() + have, want);
    if (got < 0) throw UserError({.file = file}, "corrupt gzip file");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  if (have != static_cast<std::size_t>(bytes))
    throw UserError({.file = file}, fmt::format("holds {} bytes, and index.csv.gz and the model's shape make {}",
                                                have == all.size() ? "more" : std::to_string(have), bytes));
  all.pop_back();
  return all;
}

/// The cell of this column, in a row whose texts may stand in quotes and hold commas.
std::string_view quoted_cell(const Line& line, std::size_t column) {
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < line.text.size(); ++i) {
    if (line.text[i] == '"') quoted = !quoted;
    if (line.text[i] != ',' || quoted) continue;
    if (column-- == 0) return line.text.substr(begin, i - begin);
    begin = i + 1;
  }
  if (column > 0) line.fail(line.text, "the row ends before the column 'n_router_tokens'");
  return line.text.substr(begin);
}

std::vector<std::int64_t> read_generations(const std::string& file) {
  LineReader lines(file);
  Csv csv;
  if (const auto header = lines.next()) csv.read_header(*header);
  const std::size_t column = csv.column("n_router_tokens");
  std::vector<std::int64_t> first{0};
  while (const auto line = lines.next())
    first.push_back(first.back() +
                    read_count(*line, quoted_cell(*line, column), "tokens", {.min = 1, .max = most_tokens}));
  if (first.size() == 1) throw UserError({.file = file}, "lists no generation");
  return first;
}

/// Rows of a table of counts that are wanted.
class CountRows {
 public:
  CountRows(const std::string& file, const RoutingFiles& files, std::int64_t experts)
      : lines_(file), experts_(experts) {
    if (const auto header = lines_.next()) csv_.read_header(*header);
    filter("model", files.model);
    filter("domain", files.domain);
    filter("topk_counted", "topk");
  }
  std::size_t column(std::string_view name) const { return csv_.column(name); }

  /// The next row that is wanted; false at the end.
  bool next() {
    while (const auto line = lines_.next()) {
      const auto& cells = csv_.cells(*line);
      if (std::ranges::all_of(filters_, [&](const auto& f) { return cells[f.first] == f.second; })) return true;
    }
    return false;
  }
  std::int64_t layer(std::size_t column) { return count(column, "layer", most_layers); }
  std::size_t expert(std::size_t column) { return static_cast<std::size_t>(count(column, "expert", experts_ - 1)); }
  double uses(std::size_t column) { return static_cast<double>(count(column, "count", std::int64_t{1} << 52)); }

 private:
  void filter(std::string_view name, const std::string& wanted) {
    const auto found = csv_.find(name);
    if (found && !wanted.empty()) filters_.emplace_back(*found, wanted);
  }
  std::int64_t count(std::size_t column, std::string_view what, std::int64_t most) {
    return read_count(lines_.current(), csv_.cells(lines_.current())[column], what, {.min = 0, .max = most});
  }

  LineReader lines_;
  Csv csv_;
  std::int64_t experts_;
  std::vector<std::pair<std::size_t, std::string>> filters_{};
};

void read_pairs(const RoutingFiles& files, std::int64_t experts, ExpertCounts& counts) {
  CountRows rows(files.co_activation, files, experts);
  const std::size_t from = rows.column("layer_i"), i = rows.column("expert_i");
  const std::size_t to = rows.column("layer_j"), j = rows.column("expert_j"), count = rows.column("count");
  const auto width = static_cast<std::size_t>(experts);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> pairs;
  while (rows.next()) {
    std::vector<double>& of = pairs[{rows.layer(from), rows.layer(to)}];
    of.resize(width * width, 0);
    of[rows.expert(i) * width + rows.expert(j)] += rows.uses(count);
  }
  for (auto& [layers, of] : pairs)
    counts.pairs.push_back({.from = layers.first, .to = layers.second, .counts = std::move(of)});
}

}  // namespace

RoutingTrace read_routing_trace(const std::string& folder, const ExpertShape& shape, const Place& named) {
  const std::filesystem::path path(folder);
  if (!is_folder(path)) throw UserError(named, fmt::format("there is no folder '{}'", folder));
  RoutingTrace trace{.shape = shape, .first_token = read_generations(path / "index.csv.gz")};
  const std::int64_t bytes = trace.tokens() * shape.layers * shape.active;
  trace.experts = read_bytes(path / "routing_u8.bin.gz", bytes, named);
  trace.gates = read_bytes(path / "probs_u8.bin.gz", bytes, named);
  return trace;
}

ExpertCounts read_expert_counts(const RoutingFiles& files, std::int64_t experts) {
  CountRows rows(files.counts, files, experts);
  const std::size_t layer = rows.column("layer"), expert = rows.column("expert"), count = rows.column("count");
  std::map<std::int64_t, std::vector<double>> layers;
  while (rows.next()) {
    std::vector<double>& of = layers[rows.layer(layer)];
    of.resize(static_cast<std::size_t>(experts), 0);
    of[rows.expert(expert)] += rows.uses(count);
  }
  ExpertCounts counts;
  for (auto& [number, of] : layers) counts.layers.push_back({.layer = number, .counts = std::move(of)});
  if (!files.co_activation.empty()) read_pairs(files, experts, counts);
  return counts;
}

RoutingData read_routing(const RoutingFiles& files, const ExpertShape& shape, const Place& named) {
  RoutingData data;
  if (!files.trace.empty()) data.trace = read_routing_trace(files.trace, shape, named);
  if (!files.counts.empty()) data.counts = read_expert_counts(files, shape.experts);
  return data;
}

}  // namespace servecast
