#pragma once
// The rules of "vllm_v1" with "paged" or "window", written again the slow and plain way: every sequence is a struct,
// every step walks them all. Shares nothing with Replica but the latency model.
#include <algorithm>
#include <deque>
#include <iterator>
#include <list>
#include <vector>

#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/kv_groups.h"
#include "models/policy/request.h"
#include "models/policy/support/acceptance.h"

namespace servecast {

struct NaiveServer {
  std::int64_t budget = 64;
  std::int64_t max_num_seqs = 8;
  std::int64_t block_tokens = 4;
  std::int64_t blocks = 40;
  std::size_t depth = 1;    // batches under way: 2 with asynchronous scheduling
  bool whole_fits = true;   // a request is admitted where its whole prompt fits, not its first chunk alone
  std::int64_t window = 0;  // tokens that a sequence keeps, reserved at admission; 0: all, as they come
  KvGroups groups{};        // of layers
  std::int64_t chunk = 0;   // within which some layers attend; 0: none do
  std::int64_t drafts = 0;  // that a step checks of each sequence, and slots more that it wants free
  std::int64_t lookahead = 0;
  const Acceptance* acceptance = nullptr;

  struct Times {
    double scheduled_s = -1;
    double first_token_s = -1;
    double finish_s = -1;
    int preemptions = 0;
    bool operator==(const Times&) const = default;
  };

  std::vector<Times> serve(const std::vector<Request>& requests, const StepLatency& latency) {
    times_.assign(requests.size(), {});
    emitted_.assign(requests.size(), 0);
    free_ = blocks;
    std::deque<Flight> under_way;
    std::size_t next = 0;
    double now_s = 0;
    for (;;) {
      if (!under_way.empty()) {
        now_s = under_way.front().end_s;
        for (RequestId id : under_way.front().emits) emit(requests[index(id)], now_s);
        under_way.pop_front();
      } else if (waiting_.empty() && running_.empty()) {
        if (next == requests.size()) return times_;
        now_s = std::max(now_s, requests[next].arrival_s);
      }
      for (; next < requests.size() && requests[next].arrival_s <= now_s; ++next)
        waiting_.push_back({.request = requests[next], .to_compute = requests[next].prompt_tokens});
      while (under_way.size() < depth) {
        Flight flight;
        const StepWork work = schedule(now_s, flight.emits);
        if (work.tokens() == 0) break;
        flight.end_s = (under_way.empty() ? now_s : under_way.back().end_s) + latency.stage(work, 0).seconds;
        under_way.push_back(flight);
      }
    }
  }

  // -- books
  struct Sequence {
    Request request;
    std::int64_t to_compute = 0;
    std::int64_t computed = 0;  // tokens in the cache, scheduled ones included
    std::int64_t made = 0;      // output tokens, scheduled ones included
    std::int64_t held = 0;      // blocks
    std::int64_t checks = 0;
    bool decodes() const { return computed >= to_compute; }
    bool ending() const { return made == request.output_tokens; }  // nothing left to schedule
  };
  struct Flight {
    std::vector<RequestId> emits;
    double end_s = 0;
  };

  std::int64_t attended(std::int64_t tokens) const { return window > 0 ? std::min(tokens, window) : tokens; }

  void emit(const Request& request, double now_s) {
    Times& t = times_[index(request.id)];
    if (++emitted_[index(request.id)] == 1) t.first_token_s = now_s;
    if (emitted_[index(request.id)] < request.output_tokens) return;
    t.finish_s = now_s;
    const auto it = std::ranges::find(running_, request.id, [](const Sequence& s) { return s.request.id; });
    free_ += it->held;
    running_.erase(it);
  }

  /// Throws out the sequence admitted last of those that still have something to do. True: that was `wanting`.
  bool preempt_last(const Sequence& wanting) {
    auto it = std::prev(running_.end());
    while (it->ending()) --it;
    const bool itself = &*it == &wanting;
    free_ += it->held;
    times_[index(it->request.id)].preemptions += 1;
    waiting_.push_front({.request = it->request,
                         .to_compute = it->request.prompt_tokens + it->made,
                         .made = it->made,
                         .checks = it->checks});
    running_.erase(it);
    return itself;
  }

  StepWork schedule(double now_s, std::vector<RequestId>& emits) {
    StepWork work;
    std::int64_t left = budget;
    bool preempted = false;
    const auto take = [&](Sequence& s, std::int64_t count) {
      std::int64_t made = 1;
      if (s.decodes()) {
        work.decode_sequences += 1;
        work.draft_sequences += drafts > 0 ? 1 : 0;
        work.draft_tokens += drafts;
        work.emitted_tokens += drafts;
        work.decode_kv_tokens += attended(s.computed + 1 + drafts);
        if (chunk > 0) work.decode_chunk_tokens += (s.computed + drafts) % chunk + 1;
        if (drafts > 0)
          made = std::min(s.request.output_tokens - s.made,
                          1 + acceptance->accepted({s.request.id, s.made, ++s.checks, drafts}));
        count = made;
        left -= 1 + drafts - made;
      } else {
        work.add_chunk(count, attended(s.computed));
      }
      s.computed += count;
      left -= count;
      if (s.computed < s.to_compute) return;
      s.made += made;
      work.emitted_tokens += 1;
      for (; made > 0; --made) emits.push_back(s.request.id);
    };
    const auto needs = [&](const Sequence& s, std::int64_t count) {
      const std::int64_t tokens = window > 0 ? attended(s.request.prompt_tokens + s.request.output_tokens - 1)
                                             : s.computed + count + (s.decodes() ? drafts + lookahead : 0);
      const std::int64_t more = groups.blocks((tokens + block_tokens - 1) / block_tokens, block_tokens) - s.held;
      return groups.chunked ? more : std::max<std::int64_t>(0, more);
    };
    for (auto it = running_.begin(); it != running_.end() && left > 0; ++it) {
      if (it->ending()) continue;
      const std::int64_t count = std::min(left, std::max<std::int64_t>(1, it->to_compute - it->computed));
      const std::int64_t need = needs(*it, count);
      bool gone = false;
      while (free_ < need && !gone) {
        preempted = true;
        gone = preempt_last(*it);
      }
      if (gone) break;
      free_ -= need;
      it->held += need;
      take(*it, count);
    }
    while (!preempted && left > 0 && !waiting_.empty() && static_cast<std::int64_t>(running_.size()) < max_num_seqs) {
      Sequence& head = waiting_.front();
      const std::int64_t count = std::min(left, head.to_compute);
      const std::int64_t need = needs(head, count);
      if (free_ < (whole_fits ? std::max(need, needs(head, head.to_compute)) : need)) break;
      free_ -= need;
      head.held = need;
      Times& t = times_[index(head.request.id)];
      if (t.scheduled_s < 0) t.scheduled_s = now_s;
      running_.push_back(head);
      waiting_.pop_front();
      take(running_.back(), count);
    }
    return work;
  }

  std::vector<Times> times_{};
  std::vector<std::int64_t> emitted_{};
  std::deque<Sequence> waiting_{};
  std::list<Sequence> running_{};  // in order of admission
  std::int64_t free_ = 0;
};

}  // namespace servecast
