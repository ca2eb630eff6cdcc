#include "calibrate/servers/own_runs.h"

#include <filesystem>

#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/measured_server.h"
#include "models/base/input_file.h"

namespace servecast {

std::vector<MeasuredServer> own_servers(const std::string& file) {
  std::vector<MeasuredServer> servers;
  for (const CsvRow& row : read_csv(file)) {
    const std::string& scenario = row.text("scenario");
    if (servers.empty() || servers.back().name != scenario) {
      const std::filesystem::path path = std::filesystem::path(file).parent_path() / scenario;
      servers.push_back({.name = scenario, .model = scenario, .scenario = read_whole(path.string(), settings_mib)});
    }
    const std::string& request_class = row.text("class");
    servers.back().stages.push_back({.title = request_class.empty() ? "all" : request_class,
                                     .request_class = request_class,
                                     .measured = {{ServerFigure::ttft_mean, row.positive_number("ttft_mean_s")},
                                                  {ServerFigure::tpot_mean, row.positive_number("tpot_mean_s")}}});
    if (row.has("ttft_p50_s"))
      servers.back().stages.back().measured.push_back({ServerFigure::ttft_p50, row.positive_number("ttft_p50_s")});
  }
  return servers;
}

}  // namespace servecast
