#include "calibrate/cli/tables/collect_cells.h"

#include "calibrate/fit/cells.h"
#include "calibrate/import/importer.h"
#include "calibrate/samples/samples_csv.h"
#include "models/base/error.h"
#include "sim/input/files/line_reader.h"
#include "sim/input/library/llm_config.h"

namespace servecast {
namespace {

/// Only our own files have that column.
bool holds_samples(const std::string& file) {
  LineReader reader(file);
  const auto first = reader.next();
  return !first || first->text.find("median_s") != std::string_view::npos;
}

}  // namespace

ExpertLayers bundled_layers() {
  ExpertLayers layers;
  for (const std::string& name : list_llms()) {
    const Llm llm = load_llm(name, {});
    if (llm.experts)
      layers.insert({{.hidden = llm.hidden,
                      .width = llm.experts->intermediate,
                      .experts = llm.experts->count,
                      .top_k = llm.experts->active},
                     llm.experts->even_loads});
  }
  return layers;
}

std::map<Flavour, FlavourCells> collect_cells(const std::vector<std::string>& files, const FittedFor& fitted) {
  CellCollector collector(fitted.gpu, fitted.engine, fitted.expert_versions, fitted.layers);
  std::int64_t rows = 0;
  const auto take = [&](Sample&& sample) {
    if (sample.gpu != fitted.gpu.name) return;
    collector.add(sample);
    ++rows;
  };
  for (const std::string& file : files)
    holds_samples(file) ? read_samples(file, take) : import_table(file, {.gpu = fitted.gpu.name}, take);
  if (rows == 0) throw UserError("no row is of GPU '" + fitted.gpu.name + "'");
  return collector.finish();
}

}  // namespace servecast
