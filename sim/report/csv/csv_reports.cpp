#include "sim/report/csv/csv_reports.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace servecast {
namespace {

constexpr std::array<std::string_view, 6> status_names{"completed", "rejected",   "shed",
                                                       "timed_out", "unfinished", "lost"};  // by RequestStatus

struct RequestRow {
  const RequestRecord* record;
  const RunFacts* facts;
  const GatewayRecord* gateway;  // null without one
};

/// Where there are only outside APIs, requests have no pool.
std::string_view pool_name(const RequestRow& row) {
  return row.facts->pools.empty() ? "" : std::string_view(row.facts->pools[index(row.record->pool)].name);
}
std::string_view status_name(const RequestRow& row) {
  return status_names[static_cast<std::size_t>(row.record->status)];
}
std::string_view class_name(const RequestRow& row) { return row.facts->classes[index(row.record->request_class)]; }

/// A request that was turned away has not been to a replica.
std::optional<std::uint32_t> replica_of(const RequestRow& row) {
  const RequestRecord& r = *row.record;
  if (r.status == RequestStatus::rejected || r.status == RequestStatus::shed || r.off_pools) return std::nullopt;
  return static_cast<std::uint32_t>(r.replica);
}

std::optional<std::uint32_t> decode_replica_of(const RequestRow& row) {
  if (!row.record->decode_replica) return std::nullopt;
  return static_cast<std::uint32_t>(*row.record->decode_replica);
}

std::string_view answered_by(const RequestRow& row) {
  const std::uint16_t target = row.gateway->answered_by;
  if (target == GatewayRecord::no_target) return "";
  if (target == GatewayRecord::memory) return "memory";
  return row.facts->gateway.targets[target].name;
}

/// Of a request that was worked out in several LLM calls.
template <auto member>
auto of_graph(const RequestRow& row) {
  const std::optional<GraphRecord>& graph = row.gateway->graph;
  return graph ? std::optional((*graph).*member) : std::nullopt;
}

/// Of a job that was taken.
const JobRecord* taken_job(const RequestRow& row) {
  return row.gateway->job && !row.gateway->job->refused ? &*row.gateway->job : nullptr;
}
std::optional<double> acknowledged_s(const RequestRow& row) {
  const JobRecord* job = taken_job(row);
  return job ? std::optional(job->acknowledged_s) : std::nullopt;
}
std::optional<double> waited_s(const RequestRow& row) {
  const JobRecord* job = taken_job(row);
  return job ? job->waited_s : std::nullopt;
}
std::string_view deadline(const RequestRow& row) {
  const JobRecord* job = taken_job(row);
  if (!job || !job->kept) return "";
  return *job->kept ? "kept" : "missed";
}

using R = RequestRecord;
using G = GatewayRecord;
constexpr CsvColumn<RequestRow> request_columns[]{
    {"request_id", "number of the request", cell_of<&RequestRow::record, &R::id>},
    {"arrival_s", "it arrived", cell_of<&RequestRow::record, &R::arrival_s>},
    {"scheduled_s", "the first step that works on it began", cell_of<&RequestRow::record, &R::scheduled_s>},
    {"first_token_s",
     "its client has the first output token: the step that made it ended, or the replica that decodes took it into a "
     "step",
     cell_of<&RequestRow::record, &R::first_token_s>},
    {"finish_s", "the step that made its last output token ended", cell_of<&RequestRow::record, &R::finish_s>},
    {"prompt_tokens", "length of the prompt", cell_of<&RequestRow::record, &R::prompt_tokens>},
    {"output_tokens", "made by the end of the run", cell_of<&RequestRow::record, &R::output_tokens>},
    {"pool", "where it was served; behind a gateway, where the answer comes from", cell_of<pool_name>},
    {"replica", "likewise; replicas are numbered through all pools. None for a request that was turned away",
     cell_of<replica_of>},
    {"preemptions", "times that it lost its KV blocks", cell_of<&RequestRow::record, &R::preemptions>},
    {"status", "`completed`, `rejected`, `shed`, `timed_out`, `lost` or `unfinished`", cell_of<status_name>},
};
constexpr CsvColumn<RequestRow> cached_columns[]{
    {"cached_tokens", "prompt tokens found in the KV cache", cell_of<&RequestRow::record, &R::cached_tokens>}};
constexpr CsvColumn<RequestRow> class_columns[]{{"class", "request class", cell_of<class_name>}};
constexpr CsvColumn<RequestRow> moved_columns[]{
    {"decode_replica", "the replica that decoded it", cell_of<decode_replica_of>},
    {"prompt_end_s", "its prompt was computed, for another replica to decode",
     cell_of<&RequestRow::record, &R::prompt_end_s>},
    {"hand_over_s", "from the end of its prompt to the KV's arrival there",
     cell_of<&RequestRow::record, &R::hand_over_s>}};
constexpr CsvColumn<RequestRow> gateway_columns[]{
    {"answered_by", "target that answered; `memory`: the gateway", cell_of<answered_by>},
    {"llm_calls", "that were sent to pools or APIs", cell_of<&RequestRow::gateway, &G::llm_calls>},
    {"gateway_s", "time that stages took", cell_of<&RequestRow::gateway, &G::gateway_s>},
    {"gateway_usd", "money that stages and APIs took", cell_of<&RequestRow::gateway, &G::usd>},
    {"score", "expected of the answer", cell_of<&RequestRow::gateway, &G::score>}};
constexpr CsvColumn<RequestRow> graph_columns[]{
    {"makespan_s", "from the first LLM call's start to the last one's end",
     cell_of<of_graph<&GraphRecord::makespan_s>>},
    {"node_time_s", "all LLM calls, as if one came after the other", cell_of<of_graph<&GraphRecord::node_time_s>>},
    {"graph_prompt_tokens", "of all LLM calls", cell_of<of_graph<&GraphRecord::prompt_tokens>>},
    {"graph_output_tokens", "of all LLM calls", cell_of<of_graph<&GraphRecord::output_tokens>>}};
constexpr CsvColumn<RequestRow> job_columns[]{
    {"acknowledged_s", "from arrival until the client knew that its job was taken", cell_of<acknowledged_s>},
    {"waited_s", "for workers", cell_of<waited_s>},
    {"deadline", "`kept`, `missed` or empty", cell_of<deadline>}};

using Requests = std::span<const RequestRecord>;
using Gateway = std::span<const GatewayRecord>;

/// Columns that are there together.
struct ColumnGroup {
  std::span<const CsvColumn<RequestRow>> columns;
  std::string_view only;
  bool (*wanted)(Requests, Gateway);
};
const ColumnGroup groups[]{
    {request_columns, "", [](Requests, Gateway) { return true; }},
    {cached_columns, "where some request found any",
     [](Requests all, Gateway) { return std::ranges::any_of(all, [](const R& r) { return r.cached_tokens > 0; }); }},
    {class_columns, "where there are several",
     [](Requests all, Gateway) {
       return std::ranges::adjacent_find(all, std::ranges::not_equal_to{}, &R::request_class) != all.end();
     }},
    {moved_columns, "where some request was decoded elsewhere than its prompt was computed",
     [](Requests all, Gateway) {
       return std::ranges::any_of(all, [](const R& r) { return r.decode_replica.has_value(); });
     }},
    {gateway_columns, "with a gateway", [](Requests, Gateway all) { return !all.empty(); }},
    {graph_columns, "where requests are worked out in several LLM calls",
     [](Requests, Gateway all) { return std::ranges::any_of(all, [](const G& g) { return g.graph.has_value(); }); }},
    {job_columns, "where requests become jobs",
     [](Requests, Gateway all) { return std::ranges::any_of(all, [](const G& g) { return g.job.has_value(); }); }},
};

struct SeriesCells {
  const SeriesRow* record;
  std::string_view pool;
};
using S = SeriesRow;
constexpr CsvColumn<SeriesCells> series_columns[]{
    {"time_s", "the second begins", cell_of<&SeriesCells::record, &S::time_s>},
    {"pool", "name", cell_of<&SeriesCells::pool>},
    {"arrivals", "requests that arrived at the pool in it; behind a gateway each LLM call is one",
     cell_of<&SeriesCells::record, &S::arrivals>},
    {"running", "requests admitted on a replica", cell_of<&SeriesCells::record, &S::running>},
    {"waiting", "requests in a queue", cell_of<&SeriesCells::record, &S::waiting>},
    {"kv_used_fraction", "KV blocks held by running steps, by all blocks of the pool",
     cell_of<&SeriesCells::record, &S::kv_used_fraction>},
    {"busy_gpus", "GPUs with a step", cell_of<&SeriesCells::record, &S::busy_gpus>},
    {"prompt_tokens_per_s", "prompt tokens computed by steps that ended in it, recomputed ones included",
     cell_of<&SeriesCells::record, &S::prompt_tokens_per_s>},
    {"output_tokens_per_s", "output tokens made by those steps",
     cell_of<&SeriesCells::record, &S::output_tokens_per_s>},
    {"watts", "of the pool's GPUs: energy of steps, and idle power of GPUs without one",
     cell_of<&SeriesCells::record, &S::watts>},
    {"usd", "cost from the start of the run to the end of this second", cell_of<&SeriesCells::record, &S::usd>}};
constexpr CsvColumn<SeriesCells> rented_columns[]{
    {"rented_gpus", "GPUs paid for", cell_of<&SeriesCells::record, &S::rented_gpus>}};

}  // namespace

void write_requests_csv(const std::string& file, Requests requests, const RunFacts& facts, Gateway gateway) {
  assert(gateway.empty() || gateway.size() == requests.size());
  std::vector<CsvColumn<RequestRow>> columns;
  for (const ColumnGroup& group : groups)
    if (group.wanted(requests, gateway)) columns.insert(columns.end(), group.columns.begin(), group.columns.end());
  CsvTable<RequestRow> csv(file, std::move(columns));
  for (std::size_t i = 0; i < requests.size(); ++i)
    csv.add({&requests[i], &facts, gateway.empty() ? nullptr : &gateway[i]});
  csv.close();
}

CsvFile requests_csv() {
  CsvFile file{"requests.csv", "One row per request, by `request_id`"};
  for (const ColumnGroup& group : groups) file.with(group.columns, group.only);
  return file;
}

void write_series_csv(const std::string& file, std::span<const SeriesRow> rows, const RunFacts& facts) {
  std::vector<CsvColumn<SeriesCells>> columns(std::begin(series_columns), std::end(series_columns));
  if (std::ranges::any_of(facts.pools, [](const PoolFacts& p) { return p.rented_gpus.has_value(); }))
    columns.push_back(rented_columns[0]);
  CsvTable<SeriesCells> csv(file, std::move(columns));
  for (const SeriesRow& row : rows) csv.add({&row, facts.pools[index(row.pool)].name});
  csv.close();
}

CsvFile series_csv() {
  return CsvFile{"series.csv", "One row per second and pool. Amounts are means over the second"}
      .with(series_columns)
      .with(rented_columns, "with an autoscaler");
}

}  // namespace servecast
