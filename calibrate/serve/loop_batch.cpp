#include "calibrate/serve/loop_batch.h"

#include <algorithm>
#include <cassert>

namespace servecast {

void LoopBatch::begin() {
  parts_.clear();
  thrown_out_.clear();
  prefilling_.clear();
  std::ranges::copy_if(running_, std::back_inserter(prefilling_), [&](std::size_t r) { return !all_[r].decodes(); });
}

PrefillView LoopBatch::view(std::size_t request) const {
  const ServedRequest& s = all_[request];
  return {.id = s.request.id, .arrival_s = s.request.arrival_s, .left_tokens = s.to_compute - s.computed};
}

void LoopBatch::take(std::size_t request, std::int64_t tokens) {
  ServedRequest& s = all_[request];
  const bool decodes = s.decodes();
  parts_.push_back({.sequence = static_cast<std::int64_t>(request),
                    .before_tokens = s.computed,
                    .tokens = tokens,
                    .decodes = decodes,
                    .emits = s.computed + tokens >= s.to_compute});
  s.computed += tokens;
  if (parts_.back().emits) s.made += 1;
}

/// To be recomputed, before all others that wait.
void LoopBatch::preempt(std::size_t request) {
  ServedRequest& s = all_[request];
  std::erase(running_, request);
  std::erase(prefilling_, request);
  cache_.release(s.request, s.held);
  s.held = {};
  s.to_compute = s.request.prompt_tokens + s.made;
  s.computed = 0;
  s.record.preemptions += 1;
  waiting_.push_front(request);
  thrown_out_.push_back(request);
}

/// The candidate admitted last is preempted until there is room. False where it had to go itself.
bool LoopBatch::make_room(std::size_t request, std::int64_t tokens, const std::vector<std::size_t>& candidates) {
  ServedRequest& s = all_[request];
  while (!cache_.hold(s.request, s.held, tokens, false)) {
    const std::size_t last = candidates.back();
    preempt(last);
    if (last == request) return false;
  }
  return true;
}

std::int64_t LoopBatch::decode_all(const DecodeRules& rules) {
  assert(!rules.spare_block && !rules.cut_prompts);
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const std::size_t request = running_[i];
    if (all_[request].decodes() && make_room(request, all_[request].computed + 1, running_)) take(request, 1);
  }
  return std::ssize(parts_);
}

std::int64_t LoopBatch::continue_prefill(std::int64_t i, std::int64_t tokens) {
  const std::size_t request = prefilling_[static_cast<std::size_t>(i)];
  const ServedRequest& s = all_[request];
  const std::int64_t count = std::min(tokens, s.to_compute - s.computed);
  if (!make_room(request, s.computed + count, prefilling_)) return 0;
  take(request, count);
  return count;
}

std::optional<std::int64_t> LoopBatch::admit(std::int64_t tokens, const AdmitRules& rules) {
  assert(!rules.whole_prompt && !rules.arrival_order);
  const std::size_t request = waiting_.front();
  ServedRequest& s = all_[request];
  const std::int64_t count = std::min(tokens, s.to_compute);
  if (running() >= max_sequences_) return std::nullopt;
  if (rules.whole_prompt_fits && !cache_.has_room(s.request, s.held, s.to_compute, true)) return std::nullopt;
  if (!cache_.hold(s.request, s.held, count, true)) return std::nullopt;
  waiting_.pop_front();
  running_.push_back(request);
  take(request, count);
  return count;
}

void LoopBatch::pad_prompts() { assert(false && "this batcher pads nothing"); }

void LoopBatch::finished(std::size_t request) {
  cache_.release(all_[request].request, all_[request].held);
  std::erase(running_, request);
}

}  // namespace servecast
