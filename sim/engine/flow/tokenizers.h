#pragma once
#include <functional>
#include <queue>
#include <set>
#include <tuple>
#include <vector>

#include "models/policy/request.h"

namespace servecast {

/// Prompts that wait for the tokenisers of their pools, each of which takes one at a time, in the order in which
/// prompts come: vLLM's API server has one thread for it (issue 25301), SGLang one TokenizerManager (issue 6553),
/// trtllm-serve one event loop (pull request 16523). Leaves out: vLLM's batches of prompts that wait together, and
/// which replica's tokeniser it is, since no replica is chosen yet.
class Tokenizers {
 public:
  struct Prompt {
    double came_s = 0;
    double tokenized_s = 0;  // if it need not wait
    Request request{};
  };

  explicit Tokenizers(std::size_t pools) : pools_(pools) {}
  void add(const Prompt& prompt);
  bool empty() const { return prompts_.empty(); }
  /// No prompt is tokenised before.
  double next_s() const;
  /// Gives tokenisers all that have come up to `now_s`. `workers` of a pool there are now; `done` hears when each
  /// prompt is tokenised.
  void take(double now_s, const std::function<std::size_t(PoolId)>& workers,
            const std::function<void(double tokenized_s, const Request&)>& done);
  /// Of all tokenisers of a pool together.
  double busy_s(PoolId pool) const { return pools_[index(pool)].busy_s; }

 private:
  struct Later {
    bool operator()(const Prompt& a, const Prompt& b) const {
      return std::tie(a.came_s, a.request.id) > std::tie(b.came_s, b.request.id);
    }
  };
  struct OfPool {
    std::priority_queue<double, std::vector<double>, std::greater<double>> free_s{};  // of those that are busy
    double busy_s = 0;
    double wait_s(double came_s, std::size_t workers);
  };
  std::vector<OfPool> pools_;
  std::priority_queue<Prompt, std::vector<Prompt>, Later> prompts_{};
  std::multiset<double> tokenized_s_{};  // of `prompts_`
};

}  // namespace servecast
