#include "sim/input/trace/cache/trace_cache.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_map>

#include "models/policy/caches/eviction_queue.h"
#include "sim/input/files/line_reader.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::trace_cache_test {

using testing::ElementsAre;
using testing::HasSubstr;

TraceCacheReport replay_file(const std::string& file, const TraceCacheSpec& spec) {
  Opened opened = open_file(file);
  return replay_through_caches(*opened.workload, spec, *opened.notes);
}

class TraceCache : public testing::Test {
 protected:
  TempFolder folder_;
  // Blocks of 10 tokens; the last block of 25 tokens is part-filled.
  const std::string file_ = folder_.write("small.csv",
                                          "arrival_s,prompt_tokens,output_tokens,block_tokens,prefix_blocks\n"
                                          "0,25,1,10,1-3\n"
                                          "1,10,1,10,9\n"
                                          "2,25,1,10,1-3\n"
                                          "3,20,1,10,1 3\n"
                                          "4,7,0,10,1\n"
                                          "5,30,1,10,1-2 4\n");
  TraceCacheReport replay(const TraceCacheSpec& spec) { return replay_file(file_, spec); }
};

TEST_F(TraceCache, CountsTokensOfThePromptsAfterTheWarmUp) {
  // 5 requests (one failed), 2 to warm up. Counted: 25 + 20 + 30 tokens. A cache that forgets nothing finds the whole
  // second prompt of 25, block 1 of the next and blocks 1 2 of the last: 25 + 10 + 20.
  const auto report = replay({.blocks = {100, 4}, .policies = {"lru"}});
  EXPECT_EQ(report.requests, 5);
  EXPECT_EQ(report.warm_up_requests, 2);
  EXPECT_EQ(report.prompt_tokens, 75);
  EXPECT_EQ(report.distinct_blocks, 6);  // 1, 1 2, 1 2 3, 9, 1 3, 1 2 4
  EXPECT_EQ(report.unlimited_hit_tokens, 55);
  ASSERT_EQ(report.results.size(), 2u);
  EXPECT_EQ(report.results[0].hit_tokens, 55);
  EXPECT_FALSE(report.results[0].filled);
  // 4 blocks: 1 2 3 and 9 fill it. "1 3" pushes out 9, "1 2 4" pushes out "1 2 3": nothing that is asked for again.
  EXPECT_EQ(report.results[1].hit_tokens, 55);
  EXPECT_TRUE(report.results[1].filled);
}

TEST_F(TraceCache, WarmUpIsAShareOfTheRequestsRoundedDown) {
  const auto all = replay({.blocks = {100}, .policies = {"lru"}, .warm_up_fraction = 0});
  EXPECT_EQ(all.warm_up_requests, 0);
  EXPECT_EQ(all.prompt_tokens, 110);
  EXPECT_EQ(all.results[0].hit_tokens, 55);
  const auto most = replay({.blocks = {100}, .policies = {"lru"}, .warm_up_fraction = 0.9});  // 4.5 of 5
  EXPECT_EQ(most.warm_up_requests, 4);
  EXPECT_EQ(most.results[0].hit_tokens, 20);
}

TEST_F(TraceCache, Text) {
  // 3 blocks. belady keeps 1 2 3 and never takes 9 in: 25 + 10 + 20 of 75, all that an unlimited one finds.
  // lru: 9 pushes out 3, so the next prompt finds 1 2; "1 3" and "1 2 4" find 1, and 1 2: 20 + 10 + 20.
  // fifo: 9 pushes out 1; the next prompt finds nothing and brings 1 2 3 in anew; "1 3" finds 1, which then leaves
  // for its 3, so "1 2 4" finds nothing: 0 + 10 + 0.
  EXPECT_EQ(to_text(replay({.blocks = {3, 100}, .policies = {"belady", "fifo", "lru"}})),
            "requests       5, of which the first 2 only warm the cache up\n"
            "left out       1: no output tokens: the request failed when it was recorded\n"
            "blocks         6 distinct\n"
            "prompt tokens  75 counted\n"
            "\n"
            "Hits, share of the prompt tokens counted:\n"
            "  cache blocks      belady        fifo         lru\n"
            "             3     73.33 %     13.33 %     66.67 %\n"
            "           100    *73.33 %    *73.33 %    *73.33 %\n"
            "     unlimited     73.33 %\n"
            "* not full yet when counting began\n");
}

TEST_F(TraceCache, JsonAndCsvHoldTokens) {
  const auto report = replay({.blocks = {4}, .policies = {"lru", "belady"}});
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["requests"], 5);
  EXPECT_EQ(json["warm_up_requests"], 2);
  EXPECT_EQ(json["prompt_tokens"], 75);
  EXPECT_EQ(json["unlimited_hit_tokens"], 55);
  EXPECT_EQ(json["results"][0]["policy"], "lru");
  EXPECT_EQ(json["results"][0]["blocks"], 4);
  EXPECT_EQ(json["results"][0]["hit_tokens"], 55);
  EXPECT_EQ(json["results"][0]["hit_fraction"], 55.0 / 75);
  EXPECT_EQ(json["results"][0]["filled"], true);
  EXPECT_EQ(to_csv(report),
            "policy,blocks,hit_tokens,prompt_tokens,hit_fraction,filled\n"
            "lru,4,55,75,0.7333333333333333,true\n"
            "belady,4,55,75,0.7333333333333333,true\n");
}

// -- against what a public cache simulator found on the same traces

struct ReferenceRow {
  std::string policy{}, mode{};
  double warm_up_fraction = 0;
  std::int64_t requests = 0, warm_up_requests = 0, prompt_tokens = 0, blocks = 0, hit_tokens = 0;
};

std::vector<ReferenceRow> reference_rows(const std::string& file, const std::string& trace) {
  std::vector<ReferenceRow> rows;
  LineReader lines(file);
  while (const auto line = lines.next()) {
    if (!line->text.starts_with(trace)) continue;
    std::vector<std::string> cells;
    std::istringstream row{std::string(line->text)};
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    rows.push_back({.policy = cells.at(6) == "optimal" ? "belady" : cells.at(6),
                    .mode = cells.at(10),
                    .warm_up_fraction = std::stod(cells.at(2)),
                    .requests = std::stoll(cells.at(3)),
                    .warm_up_requests = std::stoll(cells.at(4)),
                    .prompt_tokens = std::stoll(cells.at(5)),
                    .blocks = std::stoll(cells.at(7)),
                    .hit_tokens = std::stoll(cells.at(8))});
  }
  return rows;
}

void expect_same(const TraceCacheReport& report, const ReferenceRow& row) {
  EXPECT_EQ(report.requests, row.requests);
  EXPECT_EQ(report.warm_up_requests, row.warm_up_requests);
  EXPECT_EQ(report.prompt_tokens, row.prompt_tokens);
  if (row.policy == "infinite") {
    EXPECT_EQ(report.distinct_blocks, row.blocks);
    EXPECT_EQ(report.unlimited_hit_tokens, row.hit_tokens);
    return;
  }
  const auto found = std::ranges::find_if(
      report.results, [&](const auto& result) { return result.policy == row.policy && result.blocks == row.blocks; });
  ASSERT_NE(found, report.results.end());
  // Of a cache that is not full when counting begins the reference says that, and no more.
  EXPECT_EQ(found->filled, row.mode == "fixed_window");
  if (found->filled) {
    EXPECT_EQ(found->hit_tokens, row.hit_tokens) << row.policy << ", " << row.blocks << " blocks";
  }
}

struct MooncakeTrace {
  const char* file;
  const char* name;  // how its rows in the reference begin
  std::size_t rows;
  std::vector<std::int64_t> blocks;
};
class MooncakeCache : public testing::TestWithParam<MooncakeTrace> {};
INSTANTIATE_TEST_SUITE_P(All, MooncakeCache,
                         testing::Values(MooncakeTrace{"mooncake/conversation_trace.jsonl.gz",
                                                       "mooncake/conversation_trace",
                                                       29,
                                                       {256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}},
                                         MooncakeTrace{"mooncake/synthetic_trace.jsonl.gz",
                                                       "mooncake/synthetic_trace",
                                                       26,
                                                       {256, 512, 1024, 2048, 4096, 8192, 16384, 32768}},
                                         MooncakeTrace{"mooncake/mooncake_arxiv_trace_rows0-999.jsonl.gz",
                                                       "dynamo_testdata/mooncake_trace_1000",
                                                       20,
                                                       {256, 512, 1024, 2048, 4096, 8192}}),
                         [](const auto& trace) { return "trace" + std::to_string(trace.index); });

TEST_P(MooncakeCache, EqualsThePublicSimulatorToTheToken) {
  const auto trace = real_trace(GetParam().file);
  const auto reference = real_trace("reference/reference_prefix_hit_rates.csv");
  if (!trace || !reference) GTEST_SKIP() << "no real traces here";
  const auto rows = reference_rows(*reference, GetParam().name);
  EXPECT_EQ(rows.size(), GetParam().rows);
  TraceCacheSpec spec{.blocks = GetParam().blocks, .policies = {"fifo", "lru", "belady"}};
  const auto half = replay_file(*trace, spec);
  spec.warm_up_fraction = 0;
  const auto whole = replay_file(*trace, spec);
  for (const ReferenceRow& row : rows) expect_same(row.warm_up_fraction == 0 ? whole : half, row);
}

TEST(RealTraceCache, MooncakeConversationWith16384Blocks) {
  const auto trace = real_trace("mooncake/conversation_trace.jsonl.gz");
  if (!trace) GTEST_SKIP() << "no real traces here";
  const auto report = replay_file(*trace, {.blocks = {16384}, .policies = {"lru"}});
  EXPECT_EQ(report.results[0].hit_tokens, 18940960);
  EXPECT_NEAR(report.fraction(report.results[0].hit_tokens), 0.2789, 0.00005);
}

// The published RAGPulse curves are of two kinds of cache, mixed: prefixes as here, and an older one in which every
// block hits by itself, whatever stands before it. No cache of prefixes hits more than an unlimited one, which tells
// them apart: what Belady's column has above that is of the older kind. So are the points of 1 block.

struct RagPulseReference {
  std::map<std::int64_t, std::array<std::int64_t, 3>> by_prefix{}, by_block{};  // blocks -> hits of fifo, lru, belady
};
const std::vector<std::string> ragpulse_policies{"fifo", "lru", "belady"};

RagPulseReference ragpulse_reference(const std::string& file, std::int64_t unlimited_hit_tokens) {
  std::string text;
  LineReader lines(file);
  while (const auto line = lines.next()) text += line->text;
  const auto json = nlohmann::json::parse(text);
  RagPulseReference reference;
  for (const auto& [blocks, hits] : json["traces"]["ragpulse"]["capacityResults"].items()) {
    auto& curve = blocks == "1" || hits[2] > unlimited_hit_tokens ? reference.by_block : reference.by_prefix;
    curve[std::stoll(blocks)] = hits.get<std::array<std::int64_t, 3>>();
  }
  return reference;
}

TEST(RealTraceCache, RagPulseEqualsThePublishedCurves) {
  const auto trace = real_trace("ragpulse/0_trace.jsonl.gz");
  const auto reference_file = real_trace("reference/kvcache_blog_precomputed.json.gz");
  if (!trace || !reference_file) GTEST_SKIP() << "no real traces here";
  const auto reference = ragpulse_reference(*reference_file, 1'877'444).by_prefix;
  TraceCacheSpec spec{.policies = ragpulse_policies};
  for (const auto& [blocks, hits] : reference) spec.blocks.push_back(blocks);
  EXPECT_EQ(spec.blocks.size(), 203u);
  const auto report = replay_file(*trace, spec);
  EXPECT_EQ(report.unlimited_hit_tokens, 1'877'444);
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const TraceCacheResult& result = report.results[i];
    EXPECT_EQ(result.hit_tokens, reference.at(result.blocks).at(i / spec.blocks.size()))
        << result.policy << ", " << result.blocks << " blocks";
    EXPECT_TRUE(result.filled);
  }
}

/// A cache in which each block hits by itself.
class FlatCache {
 public:
  FlatCache(const Eviction& eviction, std::size_t blocks, std::size_t distinct)
      : eviction_(eviction), capacity_(blocks), entered_(distinct), may_leave_(distinct) {}

  bool use(CacheEntry block, std::uint64_t next_use) {
    const bool hit = may_leave_.contains(block);
    ++now_;
    if (hit)
      may_leave_.withdraw(block);
    else
      entered_[index(block)] = now_;
    const std::uint64_t rank = eviction_.rank({.now = now_, .entered = entered_[index(block)], .next_use = next_use});
    if (hit || make_room(rank)) may_leave_.offer(block, rank);
    used_ += hit ? 0 : may_leave_.contains(block);
    return hit;
  }

 private:
  bool make_room(std::uint64_t newcomer_rank) {
    if (used_ < capacity_) return true;
    if (eviction_.clairvoyant() && may_leave_.first_rank() >= newcomer_rank) return false;
    may_leave_.withdraw(may_leave_.first());
    --used_;
    return true;
  }
  const Eviction& eviction_;
  std::size_t capacity_;
  std::size_t used_ = 0;
  std::uint64_t now_ = 0;
  std::vector<std::uint64_t> entered_;
  EvictionQueue may_leave_;
};

TEST(RealTraceCache, RagPulsePointsLeftOutAreOfBlocksThatHitByThemselves) {
  const auto trace = real_trace("ragpulse/0_trace.jsonl.gz");
  const auto reference_file = real_trace("reference/kvcache_blog_precomputed.json.gz");
  if (!trace || !reference_file) GTEST_SKIP() << "no real traces here";
  const auto reference = ragpulse_reference(*reference_file, 1'877'444).by_block;
  EXPECT_EQ(reference.size(), 162u);

  std::vector<std::pair<CacheEntry, std::int64_t>> uses;  // which block, its tokens where they are counted
  std::unordered_map<BlockHash, std::uint32_t> numbers;
  std::size_t request = 0;
  for (const Seen& seen : open_file(*trace).all()) {
    const bool counted = request++ >= 7106 / 2;
    for (const BlockHash block : seen.blocks) {
      const auto number = numbers.emplace(block, static_cast<std::uint32_t>(numbers.size())).first->second;
      uses.emplace_back(CacheEntry{number}, counted ? seen.request.block_tokens : 0);
    }
  }
  std::vector<std::uint64_t> next_uses(uses.size()), next(numbers.size(), CacheUse::never_again);
  for (std::size_t i = uses.size(); i-- > 0;) next_uses[i] = std::exchange(next[index(uses[i].first)], i);

  for (const auto& [blocks, hits] : reference)
    for (std::size_t p = 0; p < ragpulse_policies.size(); ++p) {
      const auto eviction = Registry<Eviction>::all().at(ragpulse_policies[p]).prepare()->make();
      FlatCache cache(*eviction, static_cast<std::size_t>(blocks), numbers.size());
      std::int64_t hit_tokens = 0;
      for (std::size_t i = 0; i < uses.size(); ++i)
        if (cache.use(uses[i].first, next_uses[i])) hit_tokens += uses[i].second;
      EXPECT_EQ(hit_tokens, hits[p]) << ragpulse_policies[p] << ", " << blocks << " blocks";
    }
}

}  // namespace servecast::trace_cache_test
