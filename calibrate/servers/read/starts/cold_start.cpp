// A vLLM server's cold start on GKE, phase by phase (llm-d's guide to pod snapshots), and its waking.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/closed_loop/closed_loop_run.h"
#include "calibrate/servers/read/csv_rows.h"

namespace servecast {
namespace {

constexpr double bytes_per_gib = 1 << 30;

/// Inputs, as the page and its deployment state them. It streams its image: what is not fetched before the container
/// starts is fetched while it imports, and the whole image by the page's own rate without streaming stands for both.
struct Testbed {
  const char* name;
  const char* gpu;
  const char* node;
  const char* llm;
  double checkpoint_bytes;
  double image_bytes;
  double image_s;  // without streaming
  double gpu_load_bytes_per_s;
};
/// --safetensors-load-strategy eager: files are read whole instead of mapped, as SGLang's
/// --weight-loader-disable-mmap does, with which this model took 32 s from the page cache (SGLang pull request 7469).
constexpr Testbed gke{.name = "GKE a3-highgpu-1g 1xH100",
                      .gpu = "h100_sxm_80g",
                      .node = "dgx_h100",
                      .llm = "qwen3-32b",
                      .checkpoint_bytes = 61.03 * bytes_per_gib,
                      .image_bytes = 8.91e9,
                      .image_s = 69,
                      .gpu_load_bytes_per_s = 61.03 * bytes_per_gib / 32};

/// Seconds of the phase that begins so.
double phase_s(const std::vector<CsvRow>& rows, std::string_view phase) {
  const auto found =
      std::ranges::find_if(rows, [&](const CsvRow& row) { return row.text("phase").starts_with(phase); });
  if (found == rows.end()) rows.front().fail(fmt::format("no row has the phase '{}'", phase));
  return found->positive_number("seconds");
}

std::string start_scenario(const char* name, double download_bytes_per_s, const std::string& pool) {
  return fmt::format(R"(name: {}
workload:
  generate:
    requests: 4
    arrivals: {{constant: {{requests_per_s: 0.25}}}}
    prompt_tokens: {{fixed: 100}}
    output_tokens: {{fixed: 10}}
cluster: {{node: {}, fabric: single_switch}}
fabrics: {{single_switch: {{storage_bytes_per_s: {}}}}}
pools:
  - name: server
    llm: {}
    gpu: {}
{})",
                     name, gke.node, download_bytes_per_s, gke.llm, gke.gpu, pool);
}

MeasuredServer start_server(const char* name, std::string scenario, std::vector<Measurement> measured) {
  return {.name = name,
          .model = gke.llm,
          .engine = engine_file("vllm", "0.26.0"),
          .gpu = gke.gpu,
          .scenario = std::move(scenario),
          .stages = {{.title = name,
                      .regime = Regime::cold_start,
                      .system = fmt::format("{}, {}, vLLM 0.26 on GKE", gke.llm, gke.gpu),
                      .measured = std::move(measured)}}};
}

/// The first request finds no replica.
MeasuredServer cold_server(const std::vector<CsvRow>& rows) {
  const double load_s = phase_s(rows, "of which safetensors into VRAM");
  const double download_s = phase_s(rows, "model load total") - load_s;
  const std::string pool = fmt::format(
      "    autoscaler: {{policy: hpa, requests_per_s: 1}}\n"
      "    scaling: {{min_replicas: 0, image_bytes: {}, image_bytes_per_s: {}, gpu_load_bytes_per_s: {}}}\n",
      gke.image_bytes, gke.image_bytes / gke.image_s, gke.gpu_load_bytes_per_s);
  return start_server(
      "cold start", start_scenario("cold start", gke.checkpoint_bytes / download_s, pool),
      {{ServerFigure::start, phase_s(rows, "scheduled to ready, cold")},
       {ServerFigure::start_imports, phase_s(rows, "image pull") + phase_s(rows, "python+CUDA imports")},
       {ServerFigure::start_gpu_load, load_s},
       {ServerFigure::start_engine_init, phase_s(rows, "engine init")}});
}

/// One of two replicas is asleep until the fourth second.
MeasuredServer waking_server(double wake_s) {
  const char* pool =
      "    replicas: 2\n"
      "    autoscaler: {policy: scheduled, times: [{at_s: 0, replicas: 1}, {at_s: 4, replicas: 2}]}\n"
      "    scaling: {warm_replicas: 1}\n";
  return start_server("waking from sleep level 1", start_scenario("waking", 1e9, pool),
                      {{ServerFigure::wake, wake_s}});
}

/// What a row measures that no forecast is made of.
struct NotForecast {
  const char* phase;
  const char* why;
};
constexpr NotForecast not_forecast[]{
    {"sleep level 1", "falling asleep is not modelled"},
    {"checkpoint+upload", "making a snapshot is not modelled"},
    {"restore", "the rate at which the bucket gives a snapshot to the machine is not stated"}};

/// What waking took, where the row's note says it: "incl. wake_up 2.67 s".
std::optional<double> wake_s(const CsvRow& row) {
  constexpr std::string_view waking = "wake_up ";
  const std::string& note = row.text("note");
  const auto at = note.find(waking);
  if (at == std::string::npos) return {};
  double seconds = 0;
  const auto [end, error] = std::from_chars(note.data() + at + waking.size(), note.data() + note.size(), seconds);
  if (error != std::errc() || !(seconds > 0)) row.fail(fmt::format("'note' says no seconds after '{}'", waking));
  return seconds;
}

}  // namespace

ReadServers cold_start_servers(const std::string& file) {
  const std::vector<CsvRow> rows = read_csv(file);
  ReadServers read;
  if (rows.empty()) return read;
  if (const std::string& testbed = rows.front().text("testbed"); testbed != gke.name)
    rows.front().fail(fmt::format("test bed '{}' is not known; '{}' is", testbed, gke.name));
  read.servers.push_back(cold_server(rows));
  for (const CsvRow& row : rows) {
    if (const auto seconds = wake_s(row)) read.servers.push_back(waking_server(*seconds));
    for (const NotForecast& phase : not_forecast)
      if (row.text("phase").starts_with(phase.phase)) read.left_out.push_back({row.file(), row.line(), phase.why});
  }
  return read;
}

}  // namespace servecast
