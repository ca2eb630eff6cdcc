#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/policy/eviction.h"
#include "tests/unit/cli/servecast.h"

namespace servecast::trace_cache_test {

using testing::HasSubstr;

class TraceCacheCommand : public testing::Test {
 protected:
  TestFolder folder_;
  const std::string trace_ = folder_.write("small.csv",
                                           "arrival_s,prompt_tokens,output_tokens,block_tokens,prefix_blocks\n"
                                           "0,20,1,10,1-2\n"
                                           "1,20,1,10,1-2\n");
};

TEST_F(TraceCacheCommand, tries_every_policy_where_none_is_named) {
  const Outcome outcome = servecast_with({"trace", "cache", trace_, "--blocks", "1,2", "--format", "json"});
  EXPECT_EQ(outcome.status, 0);
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["results"].size(), 2 * (Registry<Eviction>::names().size() - 1)) << "all but ttl";
  EXPECT_EQ(report["warm_up_requests"], 1);
}

TEST_F(TraceCacheCommand, takes_lists_a_warm_up_and_the_options_of_a_trace) {
  const Outcome outcome = servecast_with({"trace", "cache", "--blocks", "2,9", "--policy", "lru,fifo", "--warm-up",
                                          "0", "--limit", "2", "--format", "csv", trace_});
  EXPECT_EQ(outcome.out,
            "policy,blocks,hit_tokens,prompt_tokens,hit_fraction,filled\n"
            "lru,2,20,40,0.5,false\n"
            "lru,9,20,40,0.5,false\n"
            "fifo,2,20,40,0.5,false\n"
            "fifo,9,20,40,0.5,false\n");
}

TEST_F(TraceCacheCommand, refuses_what_makes_no_sense) {
  const auto message = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"trace", "cache", trace_};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = servecast_with(words);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(message({}), HasSubstr("--blocks is required"));
  EXPECT_THAT(message({"--blocks", "0"}),
              HasSubstr("'0' is no size of a cache; give a whole number of blocks, 1 to"));
  EXPECT_THAT(message({"--blocks", "8,many"}), HasSubstr("'many' is no size of a cache"));
  EXPECT_THAT(message({"--blocks", "8", "--policy", "lruu"}),
              HasSubstr("unknown eviction 'lruu'; did you mean 'lru'?"));
  EXPECT_THAT(message({"--blocks", "8", "--warm-up", "1"}),
              HasSubstr("'1' is no share; give a number from 0 to below 1"));
  EXPECT_THAT(message({"--blocks", "8", "--format", "xml"}),
              HasSubstr("unknown format 'xml'. Known: text, json, csv"));
}

TEST_F(TraceCacheCommand, says_that_a_trace_without_blocks_has_nothing_to_cache) {
  const std::string plain = folder_.write("plain.csv", "arrival_s,prompt_tokens,output_tokens\n0,20,1\n");
  const Outcome outcome = servecast_with({"trace", "cache", plain, "--blocks", "8"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, plain + ": no request has hash blocks, so there is nothing to cache\n");
}

}  // namespace servecast::trace_cache_test
