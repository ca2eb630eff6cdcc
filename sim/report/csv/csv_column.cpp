#include "sim/report/csv/csv_column.h"

#include "sim/report/csv/csv_reports.h"
#include "sim/report/csv/detail_csv.h"

namespace servecast {

const std::vector<CsvFile>& csv_files() {
  static const std::vector<CsvFile> all{requests_csv(),           series_csv(),          StepsCsv::described(),
                                        ReplicasCsv::described(), LinksCsv::described(), FlowsCsv::described(),
                                        GatewayCsv::described()};
  return all;
}

}  // namespace servecast
