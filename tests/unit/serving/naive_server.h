#pragma once
// The rules of "vllm_v1" with "paged", written again the slow and plain way: every sequence is a struct, every step
// walks them all. Shares nothing with Replica but the latency model.
#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <vector>

#include "models/hw/step_latency.h"
#include "models/policy/request.h"

namespace servecast {

struct NaiveServer {
  std::int64_t budget = 64;
  std::int64_t max_num_seqs = 8;
  std::int64_t block_tokens = 4;
  std::int64_t blocks = 40;

  struct Times {
    double scheduled_s = -1;
    double first_token_s = -1;
    double finish_s = -1;
    int preemptions = 0;
    bool operator==(const Times&) const = default;
  };
  struct Sequence {
    Request request;
    std::int64_t to_compute = 0;
    std::int64_t computed = 0;  // tokens in the cache
    std::int64_t made = 0;
    std::int64_t held = 0;  // blocks
  };

  std::vector<Times> serve(const std::vector<Request>& requests, const StepLatency& latency) {
    std::vector<Times> times(requests.size());
    std::deque<Sequence> waiting;
    std::list<Sequence> running;  // in order of admission
    std::int64_t free = blocks;
    std::size_t next = 0;
    double now_s = 0;
    const auto preempt_last = [&] {
      Sequence victim = running.back();
      running.pop_back();
      free += victim.held;
      times[index(victim.request.id)].preemptions += 1;
      waiting.push_front(
          {.request = victim.request, .to_compute = victim.request.prompt_tokens + victim.made, .made = victim.made});
    };
    for (;;) {
      if (waiting.empty() && running.empty()) {
        if (next == requests.size()) return times;
        now_s = std::max(now_s, requests[next].arrival_s);
      }
      for (; next < requests.size() && requests[next].arrival_s <= now_s; ++next)
        waiting.push_back({.request = requests[next], .to_compute = requests[next].prompt_tokens});

      std::map<RequestId, std::int64_t> batch;
      std::int64_t left = budget;
      bool preempted = false;
      for (auto it = running.begin(); it != running.end() && left > 0;) {
        const std::int64_t count = std::min(left, std::max<std::int64_t>(1, it->to_compute - it->computed));
        const std::int64_t need = (it->computed + count + block_tokens - 1) / block_tokens - it->held;
        bool gone = false;
        while (free < need && !gone) {
          gone = &running.back() == &*it;
          preempt_last();
          preempted = true;
        }
        if (gone) break;
        free -= need;
        it->held += need;
        batch[it->request.id] = count;
        left -= count;
        ++it;
      }
      while (!preempted && left > 0 && !waiting.empty() && static_cast<std::int64_t>(running.size()) < max_num_seqs) {
        Sequence& head = waiting.front();
        const std::int64_t count = std::min(left, head.to_compute);
        const std::int64_t need = (count + block_tokens - 1) / block_tokens;
        if (free < need) break;
        free -= need;
        head.held = need;
        if (times[index(head.request.id)].scheduled_s < 0) times[index(head.request.id)].scheduled_s = now_s;
        batch[head.request.id] = count;
        left -= count;
        running.push_back(head);
        waiting.pop_front();
      }

      StepWork work;
      for (const Sequence& s : running) {
        if (!batch.contains(s.request.id)) continue;
        const std::int64_t count = batch[s.request.id];
        if (s.computed >= s.to_compute) {
          work.decode_sequences += 1;
          work.decode_kv_tokens += s.computed + 1;
        } else {
          work.add_chunk(count, s.computed);
        }
        if (s.computed + count >= s.to_compute) work.emitted_tokens += 1;
      }
      now_s += latency.stage(work, 0).seconds;
      for (auto it = running.begin(); it != running.end();) {
        Sequence& s = *it;
        const auto count = batch.find(s.request.id);
        if (count != batch.end()) {
          s.computed += count->second;
          if (s.computed >= s.to_compute) {
            s.made += 1;
            Times& t = times[index(s.request.id)];
            if (s.made == 1) t.first_token_s = now_s;
            if (s.made == s.request.output_tokens) {
              t.finish_s = now_s;
              free += s.held;
              it = running.erase(it);
              continue;
            }
          }
        }
        ++it;
      }
    }
  }
};

}  // namespace servecast
