#pragma once
#include <span>
#include <string>

#include "models/base/record.h"
#include "sim/report/csv/csv_column.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/record/series.h"

namespace servecast {

/// requests.csv: one row per request in the order given (Recorder: by id), with the columns that have something to
/// say. With a gateway there is one record of it for each of the requests.
void write_requests_csv(const std::string& file, std::span<const RequestRecord> requests, const RunFacts& facts,
                        std::span<const GatewayRecord> gateway = {});
CsvFile requests_csv();

/// series.csv: one row per second and pool.
void write_series_csv(const std::string& file, std::span<const SeriesRow> rows, const RunFacts& facts);
CsvFile series_csv();

}  // namespace servecast
