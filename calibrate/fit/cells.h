#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibrate/fit/group_choice.h"
#include "calibrate/samples/sample.h"
#include "models/hw/machine/gpu.h"

namespace servecast {

/// What is fitted together: an operator in one flavour.
struct Flavour {
  std::string op;
  std::string dtype{};  // where the law depends on it: products, experts, exchanges, MLA modules
  std::string kv_dtype{};
  std::string mode{};
  std::int64_t head_dim = 0;
  ExpertLayer layer{};

  auto operator<=>(const Flavour&) const = default;
};
Flavour flavour_of(const Sample& sample);
inline bool of_experts(std::string_view op) { return op == "moe" || op == "moe_layer"; }

/// One shape, all its measurements taken together.
struct Cell {
  KernelShape shape{};
  double seconds = 0;  // median over tables (engine versions) of the median within a table
  double spread = 0;   // standard deviation of log seconds over the tables; 0 with one
  bool held_out = false;
};

/// Cells of one flavour in order of shape.
struct FlavourCells {
  std::vector<Cell> cells{};
  std::string source{};  // "vllm 0.14.0, 0.19.0"
  std::int64_t left_out_rows = 0;
  std::string left_out_tables{};
  bool host_bound =
      false;  // of a table of which so many rows time the host that nothing tells how long a launch takes
};

/// True for one shape in five, by FNV-1a of its flavour and sizes: the same for every GPU and every run.
bool is_held_out(const Flavour& flavour, const KernelShape& shape);

/// True where a measurement beats the data sheet: more flop/s than the peak of its type, or more than the memory's
/// bytes/s over more data than caches hold.
bool beats_data_sheet(const Sample& sample, const Gpu& gpu);

/// The least time that the data sheet allows a kernel.
double least_s(const Sample& sample, const Gpu& gpu);

/// False for rows that other fits answer for, so that a profile stays small: windowed and chunked attention count as
/// the plain shape with as much work, other heads and caches as the nearest; whole MLA modules, experts of two
/// matrices and the strongest skews are not asked for.
bool is_fitted(const Sample& sample);

/// The same row of experts once more, as one of its model's layer.
Sample of_layer(Sample experts);

/// Mode of a row among those of its model's layer: on one group of GPUs routing as skewed as that of trained routers
/// over many experts, even routing where these are few, or spread over GPUs whose loads the simulator knows by
/// itself; where no bias keeps loads even, what the fullest of several groups takes under the former, too. Empty: the
/// layer is not fitted on it.
std::string layer_mode(const Sample& s, bool even_loads);

/// Layers of experts that get a fit of their own, and whether a bias keeps loads of their experts even.
using ExpertLayers = std::map<ExpertLayer, bool>;

/// Gathers samples of one GPU into cells.
class CellCollector {
 public:
  /// `engine`: whose rows are taken where there are any; else those of the engine with most rows.
  /// `expert_versions`: of experts, rows of these versions count alone where there are any; engines change the
  /// kernels of experts from one version to the next, others hardly. `layers`: whose experts get cells of their own,
  /// but in int4, in which no bundled model is published.
  CellCollector(const Gpu& gpu, std::string engine, std::set<std::string> expert_versions = {},
                ExpertLayers layers = {})
      : gpu_(gpu),
        engine_(std::move(engine)),
        expert_versions_(std::move(expert_versions)),
        layers_(std::move(layers)) {}

  void add(const Sample& sample);
  std::map<Flavour, FlavourCells> finish();

 private:
  struct Table {
    std::string engine;
    std::string version;
    std::string op;
    std::string kernel;
    std::int64_t rows = 0;
    std::int64_t unphysical = 0;
    std::vector<double> seconds{};
    double host_floor_s = 0;  // what the host takes to launch, where that is what many rows measured
    std::vector<double> over_least{};  // kernels that read much: their times over what the data sheet allows
    bool fell_back = false;            // to another kernel than its name says
  };
  struct Measurement {
    std::size_t table = 0;
    double seconds = 0;
    double least_s = 0;  // by the data sheet
    bool unphysical = false;
  };
  using Shapes = std::map<KernelShape, std::vector<Measurement>>;

  std::size_t table_of(const Sample& sample);
  bool usable(const Measurement& measurement) const;
  std::set<std::string> engines_for(const Flavour& flavour, const std::string& engine) const;
  std::string sources(const std::set<std::size_t>& tables) const;
  std::string best_engine(const Flavour& flavour, const Shapes& shapes) const;
  std::string layer_engine(Flavour flavour, const std::map<std::string, std::int64_t>& rows) const;
  void add_to(const Flavour& flavour, const Sample& sample, const Measurement& measurement);
  bool believed(const Table& table) const;
  void find_fallen_back();
  /// Rows of even routing that were not even, as what they are.
  void mend_group_choice();
  /// Which tables a flavour's cells are made of.
  std::set<std::size_t> tables_for(const Flavour& flavour, const Shapes& shapes) const;
  std::set<std::size_t> shipped_for(const Flavour& flavour, const Shapes& shapes,
                                    const std::set<std::size_t>& own) const;
  std::vector<double> by_version(const std::map<std::size_t, std::vector<double>>& by_table,
                                 const std::set<std::size_t>& shipped) const;
  FlavourCells cells_of(const Flavour& flavour, const Shapes& shapes) const;

  const Gpu& gpu_;
  std::string engine_;
  std::set<std::string> expert_versions_;
  ExpertLayers layers_;
  std::vector<Table> tables_;
  std::map<Flavour, Shapes> flavours_;
  GroupChoice group_choice_;
};

}  // namespace servecast
