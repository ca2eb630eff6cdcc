#include "sim/report/csv/detail_csv.h"

#include <iterator>

namespace servecast {
namespace {

constexpr CsvColumn<StepCells> step_columns[]{
    {"replica", "where", cell_of<&StepCells::record, &StepRecord::replica>},
    {"pool", "where", cell_of<&StepCells::pool>},
    {"start_s", "when it began", cell_of<&StepCells::record, &StepRecord::start_s>},
    {"end_s", "when it ended", cell_of<&StepCells::record, &StepRecord::end_s>},
    {"decode_sequences", "that make one token each", cell_of<&StepCells::record, &StepRecord::decode_sequences>},
    {"prefill_sequences", "chunks of prompts", cell_of<&StepCells::record, &StepRecord::prefill_sequences>},
    {"prefill_tokens", "tokens in these", cell_of<&StepCells::record, &StepRecord::prefill_tokens>},
    {"emitted_tokens", "output tokens: decodes and finished prefills",
     cell_of<&StepCells::record, &StepRecord::emitted_tokens>},
    {"used_blocks", "KV blocks held during the step", cell_of<&StepCells::record, &StepRecord::used_blocks>},
    {"energy_j", "of its GPUs", cell_of<&StepCells::record, &StepRecord::energy_j>},
    {"members", "`id:tokens id:tokens ...`, the requests in it and how many tokens of each it worked on",
     cell_of<&StepCells::members>}};

constexpr CsvColumn<ReplicaCells> replica_columns[]{
    {"time_s", "the second begins", cell_of<&ReplicaCells::record, &ReplicaSample::time_s>},
    {"replica", "number, through all pools", cell_of<&ReplicaCells::record, &ReplicaSample::replica>},
    {"pool", "its pool", cell_of<&ReplicaCells::pool>},
    {"running", "requests admitted", cell_of<&ReplicaCells::record, &ReplicaSample::running>},
    {"waiting", "requests in its queue", cell_of<&ReplicaCells::record, &ReplicaSample::waiting>},
    {"kv_used_fraction", "of its KV blocks", cell_of<&ReplicaCells::record, &ReplicaSample::kv_used_fraction>},
    {"busy_fraction", "of the second, with a step", cell_of<&ReplicaCells::record, &ReplicaSample::busy_fraction>},
    {"state",
     "`serving`; `starting` (loads its weights, or its engine starts); with an autoscaler also `draining`, `warm` "
     "(the "
     "reserve) and `off` (not paid for); with failures `broken`, until it can start again",
     cell_of<&ReplicaCells::record, &ReplicaSample::state>}};

constexpr CsvColumn<LinkSample> link_columns[]{
    {"link", "its name in `platform.json`", cell_of<&LinkSample::link>},
    {"time_s", "the second begins", cell_of<&LinkSample::time_s>},
    {"bytes", "in that second", cell_of<&LinkSample::bytes>},
    {"used_fraction", "of its capacity", cell_of<&LinkSample::used_fraction>}};

constexpr CsvColumn<FlowRecord> flow_columns[]{
    {"flow", "number", cell_of<&FlowRecord::flow>},
    {"kind",
     "`weight_load`, `kv_hand_over`, `kv_fetch`, `kv_write`, `kv_migration`, `expert_load`, `adapter_load`, "
     "`collective`",
     cell_of<&FlowRecord::kind>},
    {"from", "name in `platform.json`", cell_of<&FlowRecord::from>},
    {"to", "likewise", cell_of<&FlowRecord::to>},
    {"links", "that it crossed, spaces between", cell_of<&FlowRecord::links>},
    {"bytes", "in all", cell_of<&FlowRecord::bytes>},
    {"start_s", "it began", cell_of<&FlowRecord::start_s>},
    {"end_s", "its last byte came", cell_of<&FlowRecord::end_s>}};

constexpr CsvColumn<GatewayEvent> event_columns[]{
    {"request_id", "whose", cell_of<&GatewayEvent::id>},
    {"what", "the stage, the target of the LLM call, or the node of a graph", cell_of<&GatewayEvent::what>},
    {"kind", "`stage`, `verdict`, `accepted` as a job, `call`, `node`", cell_of<&GatewayEvent::kind>},
    {"start_s", "it began", cell_of<&GatewayEvent::start_s>},
    {"end_s", "it ended", cell_of<&GatewayEvent::end_s>},
    {"usd", "what it cost", cell_of<&GatewayEvent::usd>},
    {"prompt_tokens", "of the request or LLM call", cell_of<&GatewayEvent::prompt_tokens>},
    {"output_tokens", "likewise", cell_of<&GatewayEvent::output_tokens>}};

template <class Row, std::size_t n>
std::vector<CsvColumn<Row>> all(const CsvColumn<Row> (&columns)[n]) {
  return {std::begin(columns), std::end(columns)};
}

void append(std::string& text, std::int64_t number) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

StepsCsv::StepsCsv(const std::string& file, std::vector<std::string> pools)
    : csv_(file, all(step_columns)), pools_(std::move(pools)) {}

void StepsCsv::add(const StepRecord& step, std::span<const StepMember> members) {
  who_.clear();
  for (const StepMember& member : members) {
    if (!who_.empty()) who_ += ' ';
    append(who_, static_cast<std::int64_t>(member.id));
    who_ += ':';
    append(who_, member.tokens);
  }
  csv_.add({&step, pools_[index(step.pool)], who_});
}

ReplicasCsv::ReplicasCsv(const std::string& file, std::vector<std::string> pools)
    : csv_(file, all(replica_columns)), pools_(std::move(pools)) {}

LinksCsv::LinksCsv(const std::string& file) : CsvTable(file, all(link_columns)) {}
FlowsCsv::FlowsCsv(const std::string& file) : CsvTable(file, all(flow_columns)) {}
GatewayCsv::GatewayCsv(const std::string& file) : CsvTable(file, all(event_columns)) {}

CsvFile StepsCsv::described() { return CsvFile{"steps.csv", "With `--detail`, one row per step"}.with(step_columns); }
CsvFile ReplicasCsv::described() {
  return CsvFile{"replicas.csv", "With `--detail`, one row per replica and second"}.with(replica_columns);
}
CsvFile LinksCsv::described() {
  return CsvFile{"links.csv", "With `--detail`, one row per link and second in which it carried anything"}.with(
      link_columns);
}
CsvFile FlowsCsv::described() {
  return CsvFile{"flows.csv", "With `--detail`, one row per transfer"}.with(flow_columns);
}
CsvFile GatewayCsv::described() {
  return CsvFile{
      "gateway.csv",
      "With `--detail` and a gateway, one row per stage and request, per verdict on an answer that took time "
      "or money, and per LLM call"}
      .with(event_columns);
}

}  // namespace servecast
