#pragma once
#include <string>
#include <vector>

namespace servecast {

struct MeasuredServer;

/// A user's own runs: a CSV with a row per stage and the columns scenario (a YAML file, relative to the CSV), class
/// (of the stage's requests in the report, e.g. "stage 1"; empty: all), ttft_mean_s, tpot_mean_s and, where it is
/// known, ttft_p50_s. Rows of one scenario are one server.
std::vector<MeasuredServer> own_servers(const std::string& file);

}  // namespace servecast
