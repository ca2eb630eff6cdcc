#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "calibrate/fit/cells.h"
#include "models/hw/machine/gpu.h"

namespace servecast {

struct FittedFor {
  const Gpu& gpu;
  std::string engine;
  std::set<std::string> expert_versions{};  // see CellCollector
  ExpertLayers layers{};
};

/// Those of the bundled models.
ExpertLayers bundled_layers();

/// What the rows of these files say of one GPU: samples.csv (rows of other GPUs are skipped), or tables that
/// import_table() knows, which are taken as that GPU's.
std::map<Flavour, FlavourCells> collect_cells(const std::vector<std::string>& files, const FittedFor& fitted);

}  // namespace servecast
