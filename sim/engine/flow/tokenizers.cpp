#include "sim/engine/flow/tokenizers.h"

#include <algorithm>
#include <limits>

namespace servecast {

void Tokenizers::add(const Prompt& prompt) {
  prompts_.push(prompt);
  tokenized_s_.insert(prompt.tokenized_s);
}

double Tokenizers::next_s() const {
  return tokenized_s_.empty() ? std::numeric_limits<double>::infinity() : *tokenized_s_.begin();
}

double Tokenizers::OfPool::wait_s(double came_s, std::size_t workers) {
  while (!free_s.empty() && free_s.top() <= came_s) free_s.pop();
  double begin_s = came_s;
  for (; free_s.size() >= workers; free_s.pop()) begin_s = free_s.top();
  return begin_s - came_s;
}

void Tokenizers::take(double now_s, const std::function<std::size_t(PoolId)>& workers,
                      const std::function<void(double, const Request&)>& done) {
  for (; !prompts_.empty() && prompts_.top().came_s <= now_s; prompts_.pop()) {
    const Prompt& prompt = prompts_.top();
    const PoolId pool = prompt.request.pool;
    OfPool& own = pools_[index(pool)];
    const double tokenized_s =
        prompt.tokenized_s + own.wait_s(prompt.came_s, std::max<std::size_t>(1, workers(pool)));
    own.free_s.push(tokenized_s);
    own.busy_s += prompt.tokenized_s - prompt.came_s;
    tokenized_s_.erase(tokenized_s_.find(prompt.tokenized_s));
    done(tokenized_s, prompt.request);
  }
}

}  // namespace servecast
