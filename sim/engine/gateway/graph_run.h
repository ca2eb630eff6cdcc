#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/record.h"
#include "models/policy/graph/task_graph.h"
#include "models/policy/request.h"

namespace servecast {

/// A request's subtasks while they are worked on.
class GraphRun {
 public:
  struct Task {
    Subtask what{};
    std::vector<std::uint32_t> successors{};
    std::size_t waits_for = 0;  // answers that are not there yet
    double ready_s = 0;         // since when all are
    double sent_s = 0;          // since when it is an LLM call
    double end_s = 0;
    std::int64_t attempt = 0;         // of an API
    double usd = 0;                   // likewise
    std::vector<BlockHash> blocks{};  // of its prompt and its output
    RequestRecord record{};           // how it ended
  };

  explicit GraphRun(const TaskGraph& graph, double now_s);

  /// Those that may start at once.
  std::vector<std::uint32_t> roots() const;
  /// Its answer is there: which tasks may start now.
  std::vector<std::uint32_t> end(std::uint32_t task, double end_s);
  bool all_done() const { return left_ == 0; }

  Task& operator[](std::uint32_t task) { return tasks_[task]; }
  const std::vector<Task>& tasks() const { return tasks_; }
  std::uint32_t streamed() const { return streamed_; }
  bool is_answer(std::uint32_t task) const { return tasks_[task].successors.empty(); }
  /// The task whose end is the end of all, and then each that the one before waited for longest: ties to the first.
  std::vector<std::uint32_t> critical_path() const;
  GraphRecord record() const;

  std::int64_t in_pools = 0;  // LLM calls whose end pools will report

 private:
  std::vector<Task> tasks_{};
  std::uint32_t streamed_;
  std::size_t left_;
  double start_s_;
};

/// Names for the blocks of an LLM call's prompt and output. Prompts of one request that begin with the same pieces
/// begin with the same names; the request's own prompt has those that it came with.
std::vector<BlockHash> block_names(const Request& request, const Subtask& task, std::uint32_t number);

}  // namespace servecast
