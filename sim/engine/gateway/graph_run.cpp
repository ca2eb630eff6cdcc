#include "sim/engine/gateway/graph_run.h"

#include <algorithm>

#include "models/base/mixed_bits.h"

namespace servecast {

GraphRun::GraphRun(const TaskGraph& graph, double now_s)
    : streamed_(graph.streamed), left_(graph.tasks.size()), start_s_(now_s) {
  for (const Subtask& subtask : graph.tasks) {
    for (const std::uint32_t before : subtask.after)
      tasks_[before].successors.push_back(static_cast<std::uint32_t>(tasks_.size()));
    tasks_.push_back({.what = subtask, .waits_for = subtask.after.size(), .ready_s = now_s});
  }
}

std::vector<std::uint32_t> GraphRun::roots() const {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < tasks_.size(); ++i)
    if (tasks_[i].waits_for == 0) all.push_back(i);
  return all;
}

std::vector<std::uint32_t> GraphRun::end(std::uint32_t task, double end_s) {
  tasks_[task].end_s = end_s;
  --left_;
  std::vector<std::uint32_t> ready;
  for (const std::uint32_t successor : tasks_[task].successors) {
    if (--tasks_[successor].waits_for > 0) continue;
    tasks_[successor].ready_s = end_s;
    ready.push_back(successor);
  }
  return ready;
}

std::vector<std::uint32_t> GraphRun::critical_path() const {
  const auto end = [&](std::uint32_t task) { return tasks_[task].end_s; };
  std::uint32_t at = 0;
  for (std::uint32_t i = 1; i < tasks_.size(); ++i)
    if (end(i) > end(at)) at = i;
  std::vector<std::uint32_t> path{at};
  while (!tasks_[at].what.after.empty()) {
    at = *std::ranges::max_element(tasks_[at].what.after, {}, end);
    path.push_back(at);
  }
  return path;
}

GraphRecord GraphRun::record() const {
  GraphRecord record;
  double end_s = start_s_;
  for (const Task& task : tasks_) {
    end_s = std::max(end_s, task.end_s);
    record.node_time_s += task.end_s - task.ready_s;
    record.prompt_tokens += task.what.prompt_tokens();
    record.output_tokens += task.record.output_tokens;
  }
  record.makespan_s = end_s - start_s_;
  return record;
}

namespace {

/// Takes a text piece by piece and gives its blocks their names.
class BlockNamer {
 public:
  BlockNamer(std::span<const BlockHash> known, std::int64_t block_tokens)
      : known_(known), block_tokens_(block_tokens) {}

  void add(std::uint64_t piece, std::int64_t tokens, bool known) {
    const std::int64_t start = at_;
    at_ += tokens;
    for (std::int64_t end = block_end(); end <= at_; end = block_end()) {
      if (known && names_.size() < known_.size())
        text_ = known_[names_.size()];
      else
        text_ = mixed_bits(text_ ^ mixed_bits(piece + static_cast<std::uint64_t>(end - start))) | made_up;
      names_.push_back(text_);
    }
    text_ = mixed_bits(text_ ^ piece);
  }
  std::vector<BlockHash> take() { return std::move(names_); }

 private:
  static constexpr std::uint64_t made_up = std::uint64_t{1} << 63;
  std::int64_t block_end() const { return static_cast<std::int64_t>(names_.size() + 1) * block_tokens_; }

  std::span<const BlockHash> known_;
  std::int64_t block_tokens_;
  std::vector<BlockHash> names_{};
  std::int64_t at_ = 0;
  std::uint64_t text_ = 0;  // what has been said so far
};

}  // namespace

std::vector<BlockHash> block_names(const Request& request, const Subtask& task, std::uint32_t number) {
  BlockNamer namer(request.prefix_blocks, request.block_tokens);
  const auto piece = [&](TextPiece::Source source, std::uint32_t of_task) {
    return mixed_bits((std::uint64_t{index(request.id)} << 32 | of_task) +
                      (static_cast<std::uint64_t>(source) << 62));
  };
  for (const TextPiece& p : task.prompt)
    namer.add(piece(p.source, p.task), p.tokens, p.source == TextPiece::Source::request);
  namer.add(piece(TextPiece::Source::answer, number), task.output_tokens, false);
  return namer.take();
}

}  // namespace servecast
