#include "calibrate/servers/page/rows_csv.h"

#include <fmt/format.h>

#include "calibrate/servers/comparison.h"
#include "models/base/escaped.h"

namespace servecast {
namespace {

std::string number(const std::optional<double>& value) { return value ? fmt::format("{:.9g}", *value) : ""; }

}  // namespace

std::string rows_csv(std::span<const ComparedFigure> figures) {
  std::string text =
      "regime,system,engine,gpu,layout,fitting,error_fit,server,stage,warm,saturated,figure,measured,forecast,p05,"
      "p95,"
      "spread,queue_fraction,beyond_knee\n";
  for (const ComparedFigure& f : figures)
    text += fmt::format("{},{},{},{},{},{:d},{:d},{},{},{:d},{:d},{},{},{},{},{},{},{},{:d}\n", facts(f.regime).key,
                        csv_cell(f.system), csv_cell(f.engine), csv_cell(f.gpu), f.layout, f.fitting, f.error_fit,
                        csv_cell(f.server), csv_cell(f.stage), f.warm, f.saturated, title_of(f.figure),
                        number(f.measured), number(f.forecast), number(f.p05), number(f.p95), number(f.spread),
                        number(f.queue_fraction), f.beyond_knee);
  return text;
}

}  // namespace servecast
