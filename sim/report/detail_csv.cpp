#include "sim/report/detail_csv.h"

namespace servecast {
namespace {

void append(std::string& text, std::int64_t number) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

StepsCsv::StepsCsv(const std::string& file, std::vector<std::string> pools)
    : csv_(file, header), pools_(std::move(pools)) {}

void StepsCsv::add(const StepRecord& step, std::span<const StepMember> who) {
  who_.clear();
  for (const StepMember& member : who) {
    if (!who_.empty()) who_ += ' ';
    append(who_, static_cast<std::int64_t>(member.id));
    who_ += ':';
    append(who_, member.tokens);
  }
  csv_.cell(static_cast<std::uint32_t>(step.replica)).cell(pools_[index(step.pool)]);
  csv_.cell(step.start_s).cell(step.end_s).cell(step.decode_sequences).cell(step.prefill_sequences);
  csv_.cell(step.prefill_tokens).cell(step.emitted_tokens).cell(step.used_blocks).cell(step.energy_j);
  csv_.cell(who_).end_row();
}

ReplicasCsv::ReplicasCsv(const std::string& file, std::vector<std::string> pools)
    : csv_(file, header), pools_(std::move(pools)) {}

void ReplicasCsv::add(const ReplicaSample& s) {
  csv_.cell(s.time_s).cell(static_cast<std::uint32_t>(s.replica)).cell(pools_[index(s.pool)]).cell(s.running);
  csv_.cell(s.waiting).cell(s.kv_used_fraction).cell(s.busy_fraction).cell(s.state).end_row();
}

void LinksCsv::add(const LinkSample& s) {
  csv_.cell(s.link).cell(s.time_s).cell(s.bytes).cell(s.used_fraction).end_row();
}

void GatewayCsv::add(const GatewayEvent& e) {
  csv_.cell(static_cast<std::uint32_t>(e.id)).cell(e.what).cell(e.kind).cell(e.start_s).cell(e.end_s).cell(e.usd);
  csv_.cell(e.prompt_tokens).cell(e.output_tokens).end_row();
}

void FlowsCsv::add(const FlowRecord& f) {
  csv_.cell(f.flow).cell(f.kind).cell(f.from).cell(f.to).cell(f.links).cell(f.bytes).cell(f.start_s).cell(f.end_s).end_row();
}

}  // namespace servecast
