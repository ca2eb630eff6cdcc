#include "sim/serving/resources/expert_timeline.h"

#include <algorithm>
#include <cassert>

namespace servecast {

void ExpertTimeline::start(std::span<const ExpertLayerWork> layers, double now_s, std::size_t first, double stretch) {
  layers_ = layers;
  first_ = first;
  stretch_ = stretch;
  layer_ = 0;
  past_gate_ = false;
  groups_ = layers.empty() ? 1 : layers.front().groups.size();
  gpu_until_s_.assign(groups_, 0);
  here_.assign(layers.size() * groups_, 0);
  wanted_.clear();
  due_s_ = layers.empty() ? now_s : now_s + stretch_ * layers.front().before_s;
}

void ExpertTimeline::go_on(double now_s) {
  while (!done() && due_s_ <= now_s) {
    if (!past_gate_) {
      reach_gate(due_s_);
      continue;
    }
    past_gate_ = false;
    if (++layer_ < layers_.size()) due_s_ += stretch_ * layers_[layer_].before_s;
  }
}

void ExpertTimeline::reach_gate(double now_s) {
  const ExpertLayerWork& work = layers_[layer_];
  past_gate_ = true;
  host_until_s_ = now_s + work.host_s;
  for (std::size_t group = 0; group < groups_; ++group) {
    const ExpertGroupWork& part = work.groups[group];
    const auto here = static_cast<double>(here_[layer_ * groups_ + group]);
    gpu_until_s_[group] = now_s + stretch_ * part.resident_s + here * (stretch_ * part.each_s);
  }
  std::erase_if(wanted_, [&](const ExpertLoad& load) { return load.dropped && load.layer == first_ + layer_; });
  wanted_.insert(wanted_.end(), work.loads.begin(), work.loads.end());
  wait_or_finish();
}

void ExpertTimeline::wait_or_finish() {
  due_s_ = host_until_s_;
  for (std::size_t group = 0; group < groups_; ++group) {
    const bool waits = here_[layer_ * groups_ + group] < layers_[layer_].groups[group].expected;
    due_s_ = std::max(due_s_, waits ? infinity : gpu_until_s_[group]);
  }
}

void ExpertTimeline::arrived(const ExpertLoad& load, double now_s) {
  if (!load.needed) return;
  const std::size_t layer = load.layer - first_;
  here_[layer * groups_ + load.group] += 1;
  if (layer != layer_ || !past_gate_) return;
  double& until_s = gpu_until_s_[load.group];
  until_s = std::max(until_s, now_s) + stretch_ * layers_[layer_].groups[load.group].each_s;
  wait_or_finish();
}

// Disk loads share the disk and with the others the GPUs' links; what the disk leaves goes to those from memory.
OwnLinks::Shares OwnLinks::shares() const {
  const auto all = static_cast<double>(std::ranges::count_if(active_, [this](const Active& a) { return moves(a); }));
  const auto disk = static_cast<double>(
      std::ranges::count_if(active_, [this](const Active& a) { return moves(a) && a.load.from_disk; }));
  const double of_disk = disk > 0 ? std::min(rates_.disk_bytes_per_s / disk, rates_.host_bytes_per_s / all) : 0;
  return {.from_host = (rates_.host_bytes_per_s - disk * of_disk) / (all - disk), .from_disk = of_disk};
}

double OwnLinks::next_s() const {
  const Shares shares = this->shares();
  double next_s = ExpertTimeline::infinity;
  for (const Active& active : active_)
    next_s =
        std::min(next_s, moves(active) ? now_s_ + active.left_bytes / shares.of(active.load) : active.moves_at_s);
  return next_s;
}

// One ends as next_s() has it: bytes left may round to a little more than none.
std::vector<ExpertLoad> OwnLinks::move_to(double now_s) {
  std::vector<ExpertLoad> done;
  const Shares shares = this->shares();
  std::size_t kept = 0;
  for (Active& active : active_) {
    const double bytes_per_s = shares.of(active.load);
    if (moves(active) && now_s_ + active.left_bytes / bytes_per_s <= now_s) {
      done.push_back(active.load);
      continue;
    }
    if (moves(active)) active.left_bytes = std::max(0.0, active.left_bytes - (now_s - now_s_) * bytes_per_s);
    active_[kept++] = active;
  }
  active_.resize(kept);
  now_s_ = now_s;
  return done;
}

std::vector<ExpertLoad> OwnLinks::hand_over() {
  std::vector<ExpertLoad> rest;
  for (const Active& active : active_) {
    rest.push_back(active.load);
    rest.back().bytes = active.left_bytes;
    rest.back().start_s = std::max(0.0, active.moves_at_s - now_s_);
  }
  active_.clear();
  return rest;
}

std::optional<double> play(ExpertTimeline& step, std::span<OwnLinks> links, std::int64_t number, double until_s) {
  for (;;) {
    while (const auto load = step.take_wanted([&](std::size_t group) { return links[group].has_free_stream(); }))
      links[load->group].begin(*load);
    double at_s = step.next_s();
    for (const OwnLinks& group : links) at_s = std::min(at_s, group.next_s());
    if (step.done()) return step.end_s();
    if (at_s > until_s) break;
    assert(at_s < ExpertTimeline::infinity && "it waits for a load that was never started");
    for (OwnLinks& group : links)
      for (const ExpertLoad& load : group.move_to(at_s))
        if (load.step == number) step.arrived(load, at_s);
    step.go_on(at_s);
  }
  for (OwnLinks& group : links) group.move_to(until_s);
  return std::nullopt;
}

}  // namespace servecast
