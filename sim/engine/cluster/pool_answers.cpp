#include "sim/engine/cluster/pool_answers.h"

#include <algorithm>

#include "sim/input/scenario/scenario.h"
#include "sim/serving/sequences/speculator.h"

namespace servecast {

PoolPace::PoolPace(const Pool& pool, const KvCopy& kv_copy) : latency(pool.latency.get()), copy(kv_copy) {
  const auto batcher = pool.spec.batcher.make();
  max_step_tokens = batcher->max_step_tokens();
  max_sequences = batcher->max_sequences();
  const auto speculation = pool.spec.speculation();
  rows = speculation->max_rows();
  if (rows > 0)
    tokens_per_step +=
        Acceptance(speculation->acceptance(), pool.acceptance_trace, 0).mean_accepted(speculation->max_drafts());
  block_tokens = std::max<std::int64_t>(1, pool.spec.kv_cache.make()->growth_tokens());
}

double PoolAnswers::step_s(const StepWork& work) const {
  double seconds = 0;
  for (std::int64_t i = 0; i < pace_.latency->stages(); ++i) seconds += pace_.latency->stage(work, i).seconds;
  return seconds;
}

StepWork PoolAnswers::decoding(std::int64_t sequences, std::int64_t kv_tokens) const {
  StepWork work = checking_step(std::clamp<std::int64_t>(sequences, 1, pace_.max_sequences), 0, pace_.rows);
  work.decode_kv_tokens = std::max(work.decode_kv_tokens, kv_tokens);
  return work;
}

double PoolAnswers::added_s(std::int64_t prompt_tokens, std::int64_t cached_tokens, const StepWork& decodes) const {
  const double decodes_s = decodes.decode_sequences > 0 ? step_s(decodes) : 0;
  const std::int64_t budget = std::max<std::int64_t>(1, pace_.max_step_tokens - decodes.emitted_tokens);
  double seconds = 0;
  for (std::int64_t done = cached_tokens; done < prompt_tokens;) {
    const std::int64_t chunk = std::min(budget, prompt_tokens - done);
    StepWork work = decodes;
    if (done + chunk == prompt_tokens) ++work.emitted_tokens;
    work.add_chunk(chunk, done, pace_.latency->chunk_s(chunk, done));
    seconds += step_s(work) - decodes_s;
    done += chunk;
  }
  return seconds;
}

double PoolAnswers::decode_step_s(std::int64_t sequences, std::int64_t kv_tokens) const {
  return step_s(decoding(sequences, kv_tokens)) / pace_.tokens_per_step;
}

}  // namespace servecast
