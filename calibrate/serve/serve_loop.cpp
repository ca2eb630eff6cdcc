#include "calibrate/serve/serve_loop.h"

#include <algorithm>
#include <cassert>

#include "calibrate/serve/loop_batch.h"

namespace servecast {
namespace {

class Server {
 public:
  Server(std::span<const Request> requests, const ServePolicies& policies, StepExecutor& executor)
      : executor_(executor),
        batcher_(policies.batcher),
        cache_(policies.cache),
        batch_(all_, cache_, policies.batcher.max_sequences()) {
    assert(batcher_.depth() == 1 && batcher_.after_last() == AfterLast::frees);
    cache_.resize(executor.kv_tokens());
    for (const Request& r : requests)
      all_.push_back({.request = r,
                      .record = {.id = r.id,
                                 .arrival_s = r.arrival_s,
                                 .prompt_tokens = r.prompt_tokens,
                                 .request_class = r.request_class},
                      .to_compute = r.prompt_tokens});
  }

  std::vector<RequestRecord> run() {
    for (;;) {
      take_in();
      if (batch_.idle() && next_ == all_.size()) break;
      if (batch_.idle())
        executor_.wait_until(all_[next_].request.arrival_s);
      else
        step();
    }
    std::vector<RequestRecord> records;
    std::ranges::transform(all_, std::back_inserter(records), &ServedRequest::record);
    return records;
  }

 private:
  void take_in() {
    const double now_s = executor_.now_s();
    for (; next_ < all_.size() && all_[next_].request.arrival_s <= now_s; ++next_) {
      ServedRequest& s = all_[next_];
      const std::int64_t most_tokens = s.request.prompt_tokens + s.request.output_tokens - 1;
      if (cache_.blocks_for(s.request, most_tokens) > cache_.total_blocks())
        s.record.status = RequestStatus::rejected;
      else
        batch_.arrived(next_);
    }
  }

  void step() {
    batch_.begin();
    batcher_.fill(batch_);
    assert(!batch_.parts().empty() && "a request that waits alone fits");
    for (const std::size_t request : batch_.thrown_out()) executor_.release(static_cast<std::int64_t>(request));
    const double begin_s = executor_.now_s();
    for (const StepPart& part : batch_.parts()) {
      RequestRecord& record = all_[static_cast<std::size_t>(part.sequence)].record;
      if (!record.scheduled_s) record.scheduled_s = begin_s;
    }
    executor_.run(batch_.parts());
    tell(executor_.now_s());
  }

  void tell(double now_s) {
    for (const StepPart& part : batch_.parts()) {
      if (!part.emits) continue;
      const auto request = static_cast<std::size_t>(part.sequence);
      ServedRequest& s = all_[request];
      s.record.output_tokens = s.made;
      if (!s.record.first_token_s) s.record.first_token_s = now_s;
      if (s.made < s.request.output_tokens) continue;
      s.record.finish_s = now_s;
      s.record.status = RequestStatus::completed;
      batch_.finished(request);
      executor_.release(part.sequence);
    }
  }

  StepExecutor& executor_;
  Batcher& batcher_;
  KvCache& cache_;
  std::vector<ServedRequest> all_{};
  LoopBatch batch_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<RequestRecord> serve(std::span<const Request> requests, const ServePolicies& policies,
                                 StepExecutor& executor) {
  return Server(requests, policies, executor).run();
}

}  // namespace servecast
