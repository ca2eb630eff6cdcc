#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/error_split.h"
#include "calibrate/servers/read/left_out.h"
#include "models/base/error.h"
#include "models/base/input_file.h"

namespace servecast {
namespace {

struct Kind {
  std::string_view file;
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
    Kind{"llmd_pd_gptoss120b_h200.csv", routed_apart_servers},
    Kind{"llmd_peak_prefill_throughput.csv", lone_prompt_servers},
    Kind{"deepseek_v3_wide_ep_h100.csv", wide_expert_servers},
    Kind{"mlperf_v5.1_llm.csv", mlperf_servers},
    Kind{"mooncake_kv_transfer_pd.csv", kv_transfer_servers},
    Kind{"coldstart_vllm_h100_phases.csv", cold_start_servers},
};

/// Files of such folders that hold no servers of which a forecast could be made, and what is missing.
struct OtherFile {
  std::string_view file;
  const char* why;
};
constexpr std::array other_files{
    OtherFile{"deepgemm_h800_fp8_block.csv", "times of kernels, no servers"},
    OtherFile{"kernel_roofline_shares_hopper.csv", "times of kernels, no servers"},
    OtherFile{"speculative_acceptance_lengths.csv", "lengths of what is accepted, no servers"},
    OtherFile{"splitwise_prompt_token_times.csv",
              "a framework of 2023 that is not bundled: 30 to 45 ms of host a token"},
    OtherFile{"mooncake_pd_vs_2regular_a10.csv", "no kernels of the A10 were measured, nor of GPTQ's int4 products"},
    OtherFile{"expert_offload_single_stream.csv",
              "no kernels of experts on these processors were measured, nor of these GPUs and engines"},
    OtherFile{"ktransformers_expert_placement_qwen3next.csv",
              "no kernels of experts on its processors were measured, nor of the RTX 4090"},
};

/// Every other file of the folder that looks like measurements.
void name_unread(const std::filesystem::path& folder, std::vector<ExcludedRow>& left_out) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".csv" || std::ranges::find(kinds, name, &Kind::file) != kinds.end()) continue;
    const auto known = std::ranges::find(other_files, name, &OtherFile::file);
    left_out.push_back({name, 0, known != other_files.end() ? known->why : "no reader knows this file"});
  }
}

/// What was run and what was measured, to four digits; empty where a single figure tells no runs apart.
std::string run_of(const MeasuredServer& server) {
  const MeasuredStage& stage = server.stages.front();
  std::string text = stage.system + ", " + stage.title;
  int told = 0;
  for (const Measurement& one : stage.measured)
    if (one.figure == ServerFigure::tpot_mean || one.figure == ServerFigure::ttft_mean) {
      text += fmt::format(", {:.4g}", one.value);
      ++told;
    }
  return server.stages.size() == 1 && told == 2 ? text : "";
}

/// AIConfigurator's sample has some of InferenceMAX's runs, a few under two names: each counts where it has most
/// figures.
void leave_repeats(ReadServers& all) {
  std::map<std::string, const MeasuredServer*> kept;
  for (const MeasuredServer& server : all.servers) {
    const MeasuredServer*& best = kept[run_of(server)];
    if (best == nullptr || server.stages.front().measured.size() > best->stages.front().measured.size())
      best = &server;
  }
  kept.erase("");
  std::vector<MeasuredServer> servers;
  for (MeasuredServer& server : all.servers) {
    const auto same = kept.find(run_of(server));
    if (same == kept.end() || same->second == &server)
      servers.push_back(std::move(server));
    else
      all.left_out.push_back({server.file, server.line, "a run that another row has, too"});
  }
  all.servers = std::move(servers);
}

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
  leave_repeats(all);
  name_unread(folder, all.left_out);
  for (MeasuredServer& server : all.servers)
    server.error_fit = is_in_error_fit(server.stages.front().regime, server.stages.front().system);
  if (!all.servers.empty()) return all;
  if (all.left_out.empty()) throw UserError("'" + folder + "' holds no measured servers; known are " + known);
  throw UserError("'" + folder + "' holds no measured server of which a forecast can be made:\n" +
                  left_out_text(all.left_out));
}

}  // namespace servecast
