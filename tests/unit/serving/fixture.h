#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "sim/serving/replica/replica.h"
#include "tests/unit/serving/recount.h"

namespace servecast {

/// Sets whole-number settings and texts of a policy by name.
class SetFields final : public Fields {
 public:
  explicit SetFields(std::map<std::string, double> values, std::map<std::string, std::string> texts = {})
      : values_(std::move(values)), texts_(std::move(texts)) {}
  void visit(const About& a, double& v) override { put(a, v); }
  void visit(const About& a, std::int64_t& v) override { put(a, v); }
  void visit(const About& a, bool& v) override { put(a, v); }
  void visit(const About& a, std::string& v) override {
    if (const auto it = texts_.find(std::string(a.key)); it != texts_.end()) v = it->second;
  }
  void visit(const About& a, std::optional<double>& v) override {
    if (values_.contains(std::string(a.key))) put(a, v.emplace());
  }
  void visit(const About&, std::optional<std::int64_t>&) override {}
  void visit(const About&, std::vector<double>&) override {}
  void visit(const About&, std::vector<std::string>&) override {}
  void enter(const About&) override {}
  bool enter_optional(const About&, bool) override { return false; }
  std::size_t enter_list(const About&, std::size_t size) override { return size; }
  void enter_item(std::size_t) override {}
  void leave() override {}

 private:
  template <class T>
  void put(const About& a, T& v) {
    if (const auto it = values_.find(std::string(a.key)); it != values_.end()) v = static_cast<T>(it->second);
  }
  std::map<std::string, double> values_;
  std::map<std::string, std::string> texts_;
};

template <class Interface>
std::unique_ptr<Interface> make_policy(const std::string& name, std::map<std::string, double> settings = {},
                                       std::map<std::string, std::string> texts = {}) {
  const auto prepared = Registry<Interface>::all().at(name).prepare();
  SetFields fields(std::move(settings), std::move(texts));
  prepared->fields(fields);
  return prepared->make();
}

/// A step takes a constant time plus a little per token and per KV token read; split evenly over the stages.
class LinearLatency final : public StepLatency {
 public:
  explicit LinearLatency(double constant_s, double token_s = 0, double kv_token_s = 0, std::int64_t stages = 1)
      : constant_s_(constant_s), token_s_(token_s), kv_token_s_(kv_token_s), stages_(stages) {}
  std::int64_t stages() const override { return stages_; }
  StageTime stage(const StepWork& w, std::int64_t) const override {
    const double read = static_cast<double>(w.decode_kv_tokens + w.decode_chunk_tokens + w.prefill_pairs);
    return {.seconds = (constant_s_ + token_s_ * static_cast<double>(w.tokens()) + kv_token_s_ * read) /
                       static_cast<double>(stages_)};
  }

 private:
  double constant_s_, token_s_, kv_token_s_;
  std::int64_t stages_;
};

/// Keeps everything that a replica tells.
struct Listener final : ReplicaListener {
  std::map<RequestId, RequestRecord> done;
  std::vector<StepRecord> steps;
  std::vector<std::vector<StepMember>> members;
  std::vector<std::pair<double, std::int64_t>> gaps;
  double waited_s = 0;
  double ran_s = 0;

  void request_done(const Request& r, const RequestRecord& record) override { done[r.id] = record; }
  void request_waited(PoolId, double from_s, double to_s) override { waited_s += to_s - from_s; }
  void request_ran(PoolId, double from_s, double to_s) override { ran_s += to_s - from_s; }
  void token_gap(PoolId, double gap_s, std::int64_t count) override { gaps.emplace_back(gap_s, count); }
  void step_done(const StepRecord& step, std::span<const StepMember> who) override {
    steps.push_back(step);
    members.emplace_back(who.begin(), who.end());
  }
  bool wants_members(double) const override { return true; }
};

struct ReplicaLimits {
  std::int64_t budget = 2048;
  std::int64_t max_num_seqs = 256;
  std::int64_t block_tokens = 16;
  std::int64_t blocks = 10'000;
  bool async_scheduling = false;
  std::string batcher = "vllm_v1";
  std::map<std::string, double> batcher_settings{};
  std::map<std::string, std::string> batcher_texts{};
  std::string queue = "fcfs";
  std::string kv_cache = "paged";
  std::map<std::string, double> kv_cache_settings{};
  SwapSpace swap{};
  KvGroups groups{};
  std::int64_t attention_chunk = 0;
  std::int64_t ranks = 1;
};

inline Replica make_replica(const StepLatency& latency, const ReplicaLimits& limits,
                            std::unique_ptr<Speculator> speculator = {}) {
  std::map<std::string, double> cache_settings = limits.kv_cache_settings;
  cache_settings["block_tokens"] = static_cast<double>(limits.block_tokens);
  auto cache = make_policy<KvCache>(limits.kv_cache, cache_settings);
  cache->set_groups(limits.groups);
  cache->resize(limits.blocks * limits.block_tokens);
  std::map<std::string, double> batcher_settings = limits.batcher_settings;
  batcher_settings["async_scheduling"] = limits.async_scheduling;
  batcher_settings["max_num_batched_tokens"] = static_cast<double>(limits.budget);
  batcher_settings["max_num_seqs"] = static_cast<double>(limits.max_num_seqs);
  return Replica({.id = ReplicaId{0},
                  .latency = &latency,
                  .batcher = make_policy<Batcher>(limits.batcher, batcher_settings, limits.batcher_texts),
                  .queue = make_policy<WaitingQueue>(limits.queue),
                  .kv_cache = std::move(cache),
                  .swap = limits.swap,
                  .ranks = limits.ranks,
                  .attention_chunk = limits.attention_chunk,
                  .speculator = std::move(speculator)});
}

/// Hands all requests to the replica at their times and lets it finish.
inline void serve(Replica& replica, const std::vector<Request>& requests, Listener& listener) {
  for (const Request& r : requests) {
    replica.advance(r.arrival_s, listener);
    replica.enqueue(r, r.arrival_s, listener);
    expect_right_sums(replica);
  }
  replica.advance(Replica::infinity, listener);
}

}  // namespace servecast
