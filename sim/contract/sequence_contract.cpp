// What every KV cache, queue and batcher keeps.
#include <algorithm>
#include <map>
#include <utility>

#include "models/base/rng.h"
#include "models/policy/batcher.h"
#include "models/policy/kv_cache.h"
#include "models/policy/queue.h"
#include "sim/contract/checks.h"
#include "sim/contract/contract.h"

namespace servecast {
namespace {

struct HeldRequest {
  Request request{};
  KvHeld held{};
};

constexpr std::int64_t cache_tokens = 10'000;

/// Admits one more, or is refused.
void hold_one(KvCache& cache, std::uint32_t id, Rng& rng, std::vector<HeldRequest>& holders, Findings& found) {
  HeldRequest h{.request = {.id = RequestId{id}, .prompt_tokens = 1 + static_cast<std::int64_t>(rng.below(900))}};
  const std::int64_t before = cache.free_blocks();
  const bool room = cache.has_room(h.request, h.held, h.request.prompt_tokens, true);
  if (!cache.hold(h.request, h.held, h.request.prompt_tokens, true)) {
    found.expect(cache.free_blocks() == before, "a refusal changes nothing");
    return;
  }
  found.expect(room, "has_room where it holds");
  found.expect(h.held.tokens >= h.request.prompt_tokens, "holds what was asked for");
  holders.push_back(h);
}

Request queued_request(std::uint32_t id, Rng& rng) {
  return {.id = RequestId{id},
          .arrival_s = id * 0.1,
          .prompt_tokens = 1 + static_cast<std::int64_t>(rng.below(900)),
          .output_tokens = 1 + static_cast<std::int64_t>(rng.below(300)),
          .client = ClientId{static_cast<std::uint32_t>(rng.below(4))},
          .priority = static_cast<std::int32_t>(rng.below(3)),
          .deadline_s = id * 0.1 + rng.uniform()};
}

/// A batch over plain lists, to see what a batcher asks for. Unlimited blocks.
class ListBatch final : public Batch {
 public:
  explicit ListBatch(Findings& findings) : found(findings) {}

  Findings& found;
  std::int64_t decodes = 0;
  std::vector<std::int64_t> begun{};
  std::vector<std::int64_t> queue{};
  std::int64_t tokens = 0;
  bool decoded = false;

  std::int64_t lanes() const override { return 1; }
  std::int64_t lane() const override { return 0; }
  std::int64_t running() const override { return decodes + prefilling(); }
  std::int64_t decoding() const override { return decodes; }
  std::int64_t prefilling() const override { return static_cast<std::int64_t>(begun.size()); }
  PrefillView prefill(std::int64_t i) const override {
    return {.left_tokens = begun.at(static_cast<std::size_t>(i))};
  }
  bool has_waiting() const override { return !queue.empty(); }
  PrefillView waiting() const override { return {.left_tokens = queue.front()}; }
  std::int64_t decode_all(const DecodeRules&) override {
    found.expect(!std::exchange(decoded, true), "decodes only once in a step");
    tokens += decodes;
    return decodes;
  }
  std::int64_t continue_prefill(std::int64_t i, std::int64_t count) override {
    found.expect(count > 0, "asks for at least one token");
    const std::int64_t done = std::min(count, begun.at(static_cast<std::size_t>(i)));
    begun[static_cast<std::size_t>(i)] -= done;
    tokens += done;
    return done;
  }
  std::optional<std::int64_t> admit(std::int64_t count, const AdmitRules&) override {
    found.expect(count > 0, "asks for at least one token");
    const std::int64_t done = std::min(count, queue.front());
    begun.push_back(queue.front() - done);
    queue.erase(queue.begin());
    tokens += done;
    return done;
  }
  void pad_prompts() override {}
  std::int64_t preempted() const override { return 0; }
};

}  // namespace

void kv_cache_gives_back_what_it_gave(const Subject& subject, Findings& found) {
  const auto cache = subject.make<KvCache>();
  cache->resize(cache_tokens);
  const std::int64_t all = cache->free_blocks();
  found.expect(all == cache->total_blocks(), "all blocks are free at the beginning");
  Rng rng(7, "cache");
  std::vector<HeldRequest> holders;
  for (std::uint32_t i = 0; i < 2'000; ++i) {
    if (holders.size() < 30) hold_one(*cache, i, rng, holders, found);
    if (!holders.empty() && rng.uniform() < 0.4) {
      const std::size_t victim = rng.below(holders.size());
      cache->release(holders[victim].request, holders[victim].held);
      holders.erase(holders.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    std::int64_t held = 0;
    for (const HeldRequest& h : holders) held += h.held.blocks;
    found.expect(cache->used_blocks() == held, "used_blocks() are those that requests hold");
    if (!found.expect(cache->free_blocks() >= 0, "free_blocks() is no less than 0")) return;
  }
  for (const HeldRequest& h : holders) cache->release(h.request, h.held);
  found.expect(cache->free_blocks() == all, "all blocks are free again at the end");
}

void kv_cache_grows_with_tokens(const Subject& subject, Findings& found) {
  const auto cache = subject.make<KvCache>();
  cache->resize(cache_tokens);
  const Request request{.prompt_tokens = 300, .output_tokens = 2'000};
  found.expect(cache->blocks_for(request, 0) == 0, "no token takes no block");
  for (std::int64_t tokens = 1; tokens < 3'000; ++tokens)
    found.expect(cache->blocks_for(request, tokens) >= cache->blocks_for(request, tokens - 1),
                 "more tokens never take fewer blocks");
}

void queue_gives_out_what_was_put_in(const Subject& subject, Findings& found) {
  const auto queue = subject.make<WaitingQueue>();
  Rng rng(3, "queue");
  std::map<Ticket, Request> waiting;
  std::uint32_t next = 0;
  for (int round = 0; round < 3'000; ++round) {
    const std::uint64_t what = rng.below(6);
    if (what < 3) {
      const Ticket ticket{next};
      const Request request = queued_request(next++, rng);
      if (what == 0)
        queue->push_front(ticket, request);
      else
        queue->push(ticket, request);
      waiting[ticket] = request;
    } else if (!waiting.empty()) {
      const Ticket ticket = what == 3
                                ? std::next(waiting.begin(), static_cast<long>(rng.below(waiting.size())))->first
                                : queue->front();
      if (!found.expect(waiting.contains(ticket), "front() is one that waits")) return;
      const Request& request = waiting.at(ticket);
      queue->erase(ticket, request);
      queue->served(request, request.prompt_tokens, static_cast<std::int64_t>(rng.below(50)));
      waiting.erase(ticket);
    }
    if (!found.expect(queue->size() == waiting.size(), "size() counts those that wait")) return;
  }
}

void queue_puts_a_preempted_request_first(const Subject& subject, Findings& found) {
  const auto queue = subject.make<WaitingQueue>();
  const Request request{.prompt_tokens = 10, .output_tokens = 10};
  for (std::uint32_t i = 0; i < 3; ++i) queue->push(Ticket{i}, request);
  found.expect(queue->front() == Ticket{0}, "of equal requests, the first one in comes first");
  queue->erase(Ticket{0}, request);
  queue->push_front(Ticket{0}, request);
  queue->push_front(Ticket{7}, request);
  found.expect(queue->front() == Ticket{7}, "a preempted request comes before its equals");
}

void batcher_keeps_its_limits(const Subject& subject, Findings& found) {
  Rng rng(5, "batches");
  for (int i = 0; i < 300; ++i) {
    const auto batcher = subject.make<Batcher>();
    ListBatch batch(found);
    batch.decodes = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(batcher->max_sequences()) + 1));
    for (std::uint64_t n = rng.below(40); n > 0; --n)
      batch.queue.push_back(1 + static_cast<std::int64_t>(rng.below(1'500)));
    const bool something = batch.decodes > 0 || !batch.queue.empty();
    batcher->fill(batch);
    found.expect((batch.tokens > 0) == something, "fills a step exactly when there is something to do");
    found.expect(batch.tokens <= batcher->max_step_tokens(), "computes no more than max_step_tokens()");
    found.expect(batch.running() <= batcher->max_sequences(), "runs no more than max_sequences()");
  }
}

}  // namespace servecast
