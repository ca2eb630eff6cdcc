#include "calibrate/fit/transfer_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "calibrate/fit/law_fit.h"
#include "calibrate/fit/rounded.h"
#include "models/base/quantile.h"

namespace servecast {
namespace {

constexpr std::int64_t tells_start = 16;  // largest over smallest copy from which on these tell the start
constexpr std::string_view published = "published";

double real_bytes(const Cell& cell) { return static_cast<double>(cell.shape.bytes); }

struct StartAndRate {
  double start_s = 0;
  double bytes_per_s = 0;
};

StartAndRate line_through(const std::vector<Cell>& cells) {
  const auto [least, most] = std::ranges::minmax(cells, {}, [](const Cell& cell) { return cell.shape.bytes; });
  if (most.shape.bytes < tells_start * least.shape.bytes) {
    std::vector<double> rates;
    for (const Cell& cell : cells) rates.push_back(real_bytes(cell) / cell.seconds);
    return {.bytes_per_s = median(std::move(rates))};
  }
  std::vector<LawRow> rows;
  for (const Cell& cell : cells) rows.push_back({.work = {.bytes = real_bytes(cell)}, .seconds = cell.seconds});
  const KernelLaw law = fit_law(rows);
  return {.start_s = law.launch_s, .bytes_per_s = law.bytes_per_s};
}

/// One way, of one kind of host memory.
class WayFit {
 public:
  WayFit(const std::map<Flavour, FlavourCells>& all, std::string_view op, bool pageable) {
    law_.op = op;
    law_.pageable = pageable;
    for (const auto& [flavour, cells] : all) {
      const CopyMode* mode = flavour.op == op ? copy_mode(op, flavour.mode) : nullptr;
      if (mode != nullptr && mode->pageable == pageable) parts_.push_back({mode, &cells});
    }
  }

  std::optional<TransferLaw> law() {
    const Part* alone = first(CopyRole::alone);
    if (alone == nullptr) return std::nullopt;
    const auto [start_s, bytes_per_s] = line_through(alone->cells->cells);
    law_.start_s = start_s;
    law_.bytes_per_s = bytes_per_s;
    for (const Part& part : parts_)
      if (part.mode->role == CopyRole::side_by_side)
        law_.side_by_side_bytes_per_s =
            std::max(law_.side_by_side_bytes_per_s, line_through(part.cells->cells).bytes_per_s);
    if (const Part* busy = first(CopyRole::beside_products))
      law_.beside_products_fraction = std::min(1.0, line_through(busy->cells->cells).bytes_per_s / bytes_per_s);
    fit_pieces();
    fit_gathered();
    round_constants();
    judge(*alone);
    return law_;
  }

 private:
  struct Part {
    const CopyMode* mode;
    const FlavourCells* cells;
  };

  const Part* first(CopyRole role) const {
    const auto found = std::ranges::find_if(parts_, [&](const Part& part) { return part.mode->role == role; });
    return found == parts_.end() ? nullptr : &*found;
  }
  static double pieces(const Part& part, const Cell& cell) {
    return static_cast<double>(
        std::max<std::int64_t>(1, part.mode->piece_count > 0 ? part.mode->piece_count : cell.shape.m));
  }

  void fit_pieces() {
    double above = 0;
    double below = 0;
    for (const Part& part : parts_) {
      if (part.mode->role != CopyRole::pieces) continue;
      for (const Cell& cell : part.cells->cells) {
        const double further = (pieces(part, cell) - 1) / cell.seconds;
        above += further * (1 - (law_.start_s + real_bytes(cell) / law_.bytes_per_s) / cell.seconds);
        below += further * further;
      }
    }
    if (below > 0) law_.piece_s = std::max(0.0, above / below);
  }

  /// Gathering and scattering alike.
  void fit_gathered() {
    std::vector<Cell> cells;
    for (const Part& part : parts_)
      if (part.mode->role == CopyRole::gathered)
        cells.insert(cells.end(), part.cells->cells.begin(), part.cells->cells.end());
    if (cells.empty()) return;
    const auto [start_s, bytes_per_s] = line_through(cells);
    law_.gathered_start_s = start_s;
    law_.gathered_bytes_per_s = bytes_per_s;
  }

  /// What the file keeps.
  void round_constants() {
    for (double TransferLaw::*value :
         {&TransferLaw::start_s, &TransferLaw::bytes_per_s, &TransferLaw::side_by_side_bytes_per_s,
          &TransferLaw::beside_products_fraction, &TransferLaw::piece_s, &TransferLaw::gathered_start_s,
          &TransferLaw::gathered_bytes_per_s})
      law_.*value = rounded(law_.*value, 5);
  }

  double predicted_s(const Part& part, const Cell& cell) const {
    const double bytes = real_bytes(cell);
    if (part.mode->role == CopyRole::gathered) return law_.gathered_start_s + bytes / law_.gathered_bytes_per_s;
    TransferLaw engines = law_;
    engines.gathered_bytes_per_s = 0;
    return engines.seconds({.bytes = bytes,
                            .pieces = part.mode->role == CopyRole::pieces ? pieces(part, cell) : 1,
                            .side_by_side = part.mode->role == CopyRole::side_by_side,
                            .beside_products = part.mode->role == CopyRole::beside_products});
  }

  void judge(const Part& alone) {
    double squares = 0;
    std::set<std::string> sources;
    law_.least_bytes = real_bytes(alone.cells->cells.front());
    for (const Part& part : parts_) {
      sources.insert(part.cells->source);
      for (const Cell& cell : part.cells->cells) {
        squares += std::pow(predicted_s(part, cell) / cell.seconds - 1, 2);
        law_.rows += 1;
        law_.least_bytes = std::min(law_.least_bytes, real_bytes(cell));
        law_.most_bytes = std::max(law_.most_bytes, real_bytes(cell));
      }
    }
    law_.rms_error = rounded(std::sqrt(squares / static_cast<double>(law_.rows)), 3);
    law_.basis = "measured";
    for (const std::string& source : sources) {
      const bool figures = source.starts_with(published);
      if (figures) law_.basis = published;
      law_.source += (law_.source.empty() ? "" : "; ") + source.substr(figures ? published.size() + 1 : 0);
    }
  }

  TransferLaw law_{};
  std::vector<Part> parts_{};  // by mode
};

}  // namespace

std::vector<TransferLaw> fit_transfers(const std::map<Flavour, FlavourCells>& cells) {
  std::vector<TransferLaw> laws;
  for (const char* op : {"h2d", "d2h", "d2d", "p2p"})
    for (const bool pageable : {false, true})
      if (const auto law = WayFit(cells, op, pageable).law()) laws.push_back(*law);
  return laws;
}

}  // namespace servecast
