#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/error_split.h"
#include "calibrate/servers/read/left_out.h"
#include "models/base/error.h"
#include "models/base/input_file.h"

namespace servecast {
namespace {

struct Kind {
  const char* file;
  ReadServers (*read)(const std::string&);
};
constexpr std::array kinds{
    Kind{"vllm_h100_open_loop.csv", open_loop_servers},
    Kind{"closed_loop_h100.csv", closed_loop_servers},
    Kind{"aic_silicon_agg_hopper.csv", closed_loop_servers},
    Kind{"aic_silicon_blackwell.csv", closed_loop_servers},
    Kind{"aic_silicon_disagg_hopper.csv", closed_loop_servers},
    Kind{"inferencemax_runs_2025-12_2026-01.csv", inference_max_servers},
    Kind{"trtllm_offline_throughput.csv", offline_servers},
    Kind{"trtllm_1.0_offline.csv", offline_servers},
    Kind{"trtllm_offline_versions.csv", offline_servers},
    Kind{"trtllm_1.2_perf_overview.csv", offline_overview_servers},
    Kind{"llmd_router_ladder_h100.csv", router_ladder_servers},
    Kind{"llmd_kv_offload_h100.csv", kv_tier_servers},
    Kind{"mlperf_v5.1_llm.csv", mlperf_servers},
    Kind{"mooncake_kv_transfer_pd.csv", kv_transfer_servers},
    Kind{"coldstart_vllm_h100_phases.csv", cold_start_servers},
};

}  // namespace

ReadServers all_servers(const std::string& folder) {
  ReadServers all;
  std::string known;
  for (const Kind& kind : kinds) {
    const std::filesystem::path file = std::filesystem::path(folder) / kind.file;
    known += (known.empty() ? "" : ", ") + std::string(kind.file);
    if (!is_there(file)) continue;
    ReadServers read = kind.read(file.string());
    std::ranges::move(read.servers, std::back_inserter(all.servers));
    std::ranges::move(read.left_out, std::back_inserter(all.left_out));
  }
  for (MeasuredServer& server : all.servers)
    server.error_fit = is_in_error_fit(server.stages.front().regime, server.stages.front().system);
  if (!all.servers.empty()) return all;
  if (all.left_out.empty()) throw UserError("'" + folder + "' holds no measured servers; known are " + known);
  throw UserError("'" + folder + "' holds no measured server of which a forecast can be made:\n" +
                  left_out_text(all.left_out));
}

}  // namespace servecast
