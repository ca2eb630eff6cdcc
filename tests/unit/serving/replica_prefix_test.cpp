// A replica whose KV cache shares beginnings.
#include <gtest/gtest.h>

#include "tests/unit/serving/tiers.h"

namespace servecast::replica_prefix_test {

// A prompt of 20 tokens takes 20 ms, 10 further tokens 1 ms each. Its client gives up in the last step, and a cache
// that keeps what its session has said uses that memory for something else: no request may find that in the cache.
TEST(ReplicaWithPrefixes, DoesNotReadWhatASessionHasSaidOnceItsClientHasGivenUp) {
  const LinearLatency latency(0, 1e-3);
  auto cache = make_policy<KvCache>("paged_prefix", {{"block_tokens", 10}});
  cache->resize(1000);
  Replica replica({.latency = &latency,
                   .batcher = make_policy<Batcher>("vllm_v1", {{"async_scheduling", 0}}),
                   .queue = make_policy<WaitingQueue>("fcfs"),
                   .kv_cache = std::move(cache)});
  Listener heard;
  std::vector<BlockHash> said = numbered(1, 3);
  Request request = prompt(said, 20);
  request.output_tokens = 11;
  request.give_up_s = 0.0295;
  ASSERT_TRUE(replica.enqueue(request, 0, heard));
  replica.advance(0.0296, heard);
  ASSERT_EQ(heard.done.at(request.id).status, RequestStatus::timed_out);
  said[2] = 103;
  replica.advance(1, heard);
  EXPECT_TRUE(replica.empty());
  const std::vector<BlockHash> next{1, 2, 103, 4};
  EXPECT_EQ(replica.core().cache().cached_tokens(prompt(next, 40)), 20);
}

}  // namespace servecast::replica_prefix_test
