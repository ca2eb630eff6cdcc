#pragma once
#include <deque>
#include <span>
#include <vector>

#include "calibrate/step/step_part.h"
#include "models/base/record.h"
#include "models/policy/batcher.h"
#include "models/policy/kv_cache.h"

namespace servecast {

/// One request on the server.
struct ServedRequest {
  Request request{};
  RequestRecord record{};
  std::int64_t to_compute =
      0;                      // tokens before the next output: the prompt; after a preemption also the output so far
  std::int64_t computed = 0;  // that its KV holds when the step being put together has ended
  std::int64_t made = 0;      // output tokens, likewise
  KvHeld held{};

  bool decodes() const { return computed >= to_compute; }
};

/// Waiting and running sequences, and the step that a batcher puts together of them.
class LoopBatch final : public Batch {
 public:
  /// These outlive it.
  LoopBatch(std::vector<ServedRequest>& all, KvCache& cache, std::int64_t max_sequences)
      : all_(all), cache_(cache), max_sequences_(max_sequences) {}

  void arrived(std::size_t request) { waiting_.push_back(request); }
  bool idle() const { return waiting_.empty() && running_.empty(); }
  /// A step is put together from now on.
  void begin();
  const std::vector<StepPart>& parts() const { return parts_; }
  /// Sequences preempted in it, which have lost their KV.
  const std::vector<std::size_t>& thrown_out() const { return thrown_out_; }
  /// One that runs has made its last token.
  void finished(std::size_t request);

  std::int64_t lanes() const override { return 1; }
  std::int64_t lane() const override { return 0; }
  std::int64_t running() const override { return std::ssize(running_); }
  std::int64_t decoding() const override { return running() - prefilling(); }
  std::int64_t prefilling() const override { return std::ssize(prefilling_); }
  PrefillView prefill(std::int64_t i) const override { return view(prefilling_[static_cast<std::size_t>(i)]); }
  bool has_waiting() const override { return !waiting_.empty(); }
  PrefillView waiting() const override { return view(waiting_.front()); }
  using Batch::admit;
  using Batch::decode_all;
  std::int64_t decode_all(const DecodeRules& rules) override;
  std::int64_t continue_prefill(std::int64_t i, std::int64_t tokens) override;
  std::optional<std::int64_t> admit(std::int64_t tokens, const AdmitRules& rules) override;
  void pad_prompts() override;
  std::int64_t preempted() const override { return std::ssize(thrown_out_); }

 private:
  PrefillView view(std::size_t request) const;
  bool make_room(std::size_t request, std::int64_t tokens, const std::vector<std::size_t>& candidates);
  void preempt(std::size_t request);
  void take(std::size_t request, std::int64_t tokens);

  std::vector<ServedRequest>& all_;
  KvCache& cache_;
  std::int64_t max_sequences_;
  std::deque<std::size_t> waiting_{};
  std::vector<std::size_t> running_{};     // in order of admission
  std::vector<std::size_t> prefilling_{};  // of these, those that were part-way through their prompt when it began
  std::vector<StepPart> parts_{};
  std::vector<std::size_t> thrown_out_{};
};

}  // namespace servecast
