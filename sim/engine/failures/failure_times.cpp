#include "sim/engine/failures/failure_times.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <limits>

#include "models/base/units.h"

namespace servecast {
namespace {

constexpr std::array<const char*, 8> words{"node", "gpu", "nic", "link", "switch", "trunk", "storage", "replica"};

// Nodes: 6.50 failures per 1,000 node-days on the 16,000 A100 of RSC-1 (Kokolis et al., Revisiting Reliability in
// Large-Scale Machine Learning Research Clusters, HPCA 2025). Parts: unexpected interruptions of 16,384 H100 in 54
// days (The Llama 3 Herd of Models, 2024, table 5): GPUs 148 faulty + 72 HBM3 + 19 SRAM + 17 system processor + 6
// silent corruption + 6 thermal, network ports 7; a port for each GPU.
double published_mtbf_s(BreakablePart::Kind kind) {
  constexpr double llama_part_s = 16'384 * 54 * seconds_per_day;
  switch (kind) {
    case BreakablePart::Kind::node:
      return 1'000 * seconds_per_day / 6.5;
    case BreakablePart::Kind::gpu:
      return llama_part_s / 268;
    default:
      assert(kind == BreakablePart::Kind::nic);
      return llama_part_s / 7;
  }
}

BreakablePart part_of(const FailureEventSpec& e) {
  using enum BreakablePart::Kind;
  if (e.gpu) return {.kind = gpu, .node = *e.node, .number = *e.gpu};
  if (e.nic) return {.kind = nic, .node = *e.node, .number = *e.nic};
  if (e.node) return {.kind = node, .node = *e.node};
  if (e.replica) return {.kind = replica, .number = *e.replica};
  if (e.link) return {.kind = link, .number = *e.link};
  if (e.switch_number) return {.kind = switch_, .number = *e.switch_number};
  if (e.trunk) return {.kind = trunk, .number = *e.trunk};
  return {.kind = storage};
}

}  // namespace

BreakablePart::Kind kind_of(const std::string& word) {
  return static_cast<BreakablePart::Kind>(std::ranges::find(words, word) - words.begin());
}
const char* word_of(BreakablePart::Kind kind) { return words[static_cast<std::size_t>(kind)]; }

void FailureTimes::push(const PartChange& change, std::optional<std::size_t> rate) {
  due_.push({.change = change, .order = pushed_++, .rate = rate});
}

void FailureTimes::add(const FailureEventSpec& event) {
  PartChange change{.at_s = event.at_s, .part = part_of(event)};
  if (event.slow_s) change.slow = event;
  if (event.notice_s) {
    change.warns = true;
    push(change, std::nullopt);
    change.warns = false;
    change.at_s += *event.notice_s;
  }
  push(change, std::nullopt);
  change.begins = false;
  change.at_s += event.slow_s.value_or(event.down_s.value_or(0));
  push(change, std::nullopt);
}

void FailureTimes::add(const FailureRateSpec& spec, const std::vector<BreakablePart>& parts) {
  rates_.push_back({.mtbf_s = spec.mtbf_s ? *spec.mtbf_s : published_mtbf_s(kind_of(spec.part)),
                    .mttr_s = spec.mttr_s,
                    .notice_s = spec.notice_s.value_or(0),
                    .rng = Rng(seed_, "failures/" + spec.part)});
  Rate& rate = rates_.back();
  for (const BreakablePart& part : parts)
    push({.at_s = rate.rng.exponential(rate.mtbf_s), .part = part, .warns = rate.notice_s > 0}, rates_.size() - 1);
}

double FailureTimes::next_s() const {
  return due_.empty() ? std::numeric_limits<double>::infinity() : due_.top().change.at_s;
}

PartChange FailureTimes::take() {
  const Due due = due_.top();
  due_.pop();
  if (!due.rate) return due.change;
  Rate& rate = rates_[*due.rate];
  PartChange next = due.change;
  if (due.change.warns) {
    next.warns = false;
    next.at_s += rate.notice_s;
  } else {
    next.begins = !due.change.begins;
    next.warns = next.begins && rate.notice_s > 0;
    next.at_s += rate.rng.exponential(due.change.begins ? rate.mttr_s : rate.mtbf_s);
  }
  push(next, due.rate);
  return due.change;
}

}  // namespace servecast
