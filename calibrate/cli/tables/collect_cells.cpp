#include "calibrate/cli/tables/collect_cells.h"

#include "calibrate/fit/cells.h"
#include "calibrate/samples/samples_csv.h"
#include "models/base/error.h"
#include "models/hw/machine/gpu.h"

namespace servecast {

std::map<Flavour, FlavourCells> collect_cells(const std::vector<std::string>& files, const Gpu& gpu,
                                              const std::string& engine) {
  CellCollector collector(gpu, engine);
  std::int64_t rows = 0;
  for (const std::string& file : files)
    read_samples(file, [&](Sample&& sample) {
      if (sample.gpu != gpu.name) return;
      collector.add(sample);
      ++rows;
    });
  if (rows == 0) throw UserError("no row is of GPU '" + gpu.name + "'");
  return collector.finish();
}

}  // namespace servecast
