#include "sim/report/csv_reports.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "sim/report/csv_writer.h"

namespace servecast {
namespace {

/// Where there are only outside APIs, requests have no pool.
std::string pool_name(const RunFacts& facts, PoolId pool) {
  return facts.pools.empty() ? "" : facts.pools[index(pool)].name;
}

constexpr std::array<std::string_view, 6> status_names{"completed", "rejected",   "shed",
                                                       "timed_out", "unfinished", "lost"};  // by RequestStatus

/// A request that was turned away has not been to a replica.
std::optional<std::uint32_t> replica_of(const RequestRecord& r) {
  if (r.status == RequestStatus::rejected || r.status == RequestStatus::shed || r.off_pools) return std::nullopt;
  return static_cast<std::uint32_t>(r.replica);
}

std::optional<std::uint32_t> decode_replica_of(const RequestRecord& r) {
  if (!r.decode_replica) return std::nullopt;
  return static_cast<std::uint32_t>(*r.decode_replica);
}

void write_row(CsvWriter& csv, const RequestRecord& r, const RunFacts& facts) {
  csv.cell(static_cast<std::uint32_t>(r.id)).cell(r.arrival_s).cell(r.scheduled_s).cell(r.first_token_s);
  csv.cell(r.finish_s).cell(r.prompt_tokens).cell(r.output_tokens).cell(pool_name(facts, r.pool));
  csv.cell(replica_of(r)).cell(r.preemptions).cell(status_names[static_cast<std::size_t>(r.status)]);
}

std::string_view answered_by(const GatewayRecord& g, const RunFacts& facts) {
  if (g.answered_by == GatewayRecord::no_one) return "";
  if (g.answered_by == GatewayRecord::memory) return "memory";
  return facts.gateway.targets[g.answered_by].name;
}

void write_gateway_cells(CsvWriter& csv, const GatewayRecord& g, const RunFacts& facts) {
  csv.cell(answered_by(g, facts)).cell(static_cast<std::uint32_t>(g.passes)).cell(g.gateway_s).cell(g.usd);
  csv.cell(g.score);
}

std::string_view kept_word(const JobRecord& job) {
  if (!job.kept) return "";
  return *job.kept ? "kept" : "missed";
}

void write_job_cells(CsvWriter& csv, const std::optional<JobRecord>& job) {
  if (!job || job->refused) {
    csv.cell("").cell("").cell("");
    return;
  }
  csv.cell(job->acknowledged_s).cell(job->waited_s).cell(kept_word(*job));
}

void write_graph_cells(CsvWriter& csv, const std::optional<GraphRecord>& graph) {
  if (!graph) {
    csv.cell("").cell("").cell("").cell("");
    return;
  }
  csv.cell(graph->makespan_s).cell(graph->node_time_s).cell(graph->prompt_tokens).cell(graph->output_tokens);
}

}  // namespace

void write_requests_csv(const std::string& file, std::span<const RequestRecord> requests, const RunFacts& facts,
                        std::span<const GatewayRecord> gateway) {
  assert(gateway.empty() || gateway.size() == requests.size());
  const bool any_cached = std::ranges::any_of(requests, [](const RequestRecord& r) { return r.cached_tokens > 0; });
  const bool several_classes = std::ranges::adjacent_find(requests, std::ranges::not_equal_to{},
                                                          &RequestRecord::request_class) != requests.end();
  const bool any_moved =
      std::ranges::any_of(requests, [](const RequestRecord& r) { return r.decode_replica.has_value(); });
  std::string header(requests_header);
  if (any_cached) header += ",cached_tokens";
  if (several_classes) header += ",class";
  if (any_moved) header += ",decode_replica,hand_over_s";
  if (!gateway.empty()) header += ",answered_by,passes,gateway_s,gateway_usd,score";
  const bool any_graph = std::ranges::any_of(gateway, [](const GatewayRecord& g) { return g.graph.has_value(); });
  const bool any_job = std::ranges::any_of(gateway, [](const GatewayRecord& g) { return g.job.has_value(); });
  if (any_graph) header += ",makespan_s,node_time_s,graph_prompt_tokens,graph_output_tokens";
  if (any_job) header += ",acknowledged_s,waited_s,deadline";
  CsvWriter csv(file, header);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const RequestRecord& r = requests[i];
    write_row(csv, r, facts);
    if (any_cached) csv.cell(r.cached_tokens);
    if (several_classes) csv.cell(facts.classes[index(r.request_class)]);
    if (any_moved) csv.cell(decode_replica_of(r)).cell(r.hand_over_s);
    if (!gateway.empty()) write_gateway_cells(csv, gateway[i], facts);
    if (any_graph) write_graph_cells(csv, gateway[i].graph);
    if (any_job) write_job_cells(csv, gateway[i].job);
    csv.end_row();
  }
  csv.close();
}

void write_series_csv(const std::string& file, std::span<const SeriesRow> rows, const RunFacts& facts) {
  const bool scales = std::ranges::any_of(facts.pools, [](const PoolFacts& p) { return p.rented_gpus.has_value(); });
  CsvWriter csv(file, std::string(series_header) + (scales ? ",rented_gpus" : ""));
  for (const SeriesRow& r : rows) {
    csv.cell(r.time_s).cell(facts.pools[index(r.pool)].name).cell(r.arrivals).cell(r.running).cell(r.waiting);
    csv.cell(r.kv_used_fraction).cell(r.busy_gpus).cell(r.prompt_tokens_per_s).cell(r.output_tokens_per_s);
    csv.cell(r.watts).cell(r.usd);
    if (scales) csv.cell(r.rented_gpus);
    csv.end_row();
  }
  csv.close();
}

}  // namespace servecast
