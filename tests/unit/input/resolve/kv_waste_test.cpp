// How much of the KV memory that a request holds is filled, on real lengths.
#include <gtest/gtest.h>

#include <sstream>

#include "models/policy/kv_cache.h"
#include "sim/input/files/line_reader.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::kv_waste_test {

/// Filled slots by slots held, over the time that all requests of a file of lengths decode, block size 16.
double useful_fraction(const std::string& policy, const std::string& file) {
  const auto cache = Registry<KvCache>::all().at(policy).prepare()->make();
  cache->resize(16'000'000);
  double filled = 0;
  double held = 0;
  LineReader lines(file);
  for (lines.next(); const auto line = lines.next();) {
    std::istringstream row{std::string(line->text)};
    std::string timestamp, prompt, output;
    std::getline(std::getline(std::getline(row, timestamp, ','), prompt, ','), output, ',');
    const Request r{.prompt_tokens = std::stoll(prompt), .output_tokens = std::stoll(output)};
    if (r.prompt_tokens == 0 || r.prompt_tokens + r.output_tokens > 2048) continue;  // OPT-13B takes no more
    for (std::int64_t tokens = r.prompt_tokens; tokens < r.prompt_tokens + r.output_tokens; ++tokens) {
      filled += static_cast<double>(tokens);
      held += 16.0 * static_cast<double>(cache->blocks_for(r, tokens));
    }
  }
  return filled / held;
}

// Kwon et al., SOSP 2023, figure 2, ShareGPT: 20.4 % of what Orca (Max) reserves and 38.2 % at best hold tokens, 96.3
// % of what vLLM does. Their lengths differ from ours (means of 161 and 338 tokens; here 299 and 324).
TEST(KvWaste, PagedWastesLessThanFourPercentOnShareGptLengths) {
  const auto lengths = real_trace("lengths/nanoflow_sharegpt.csv.gz");
  if (!lengths) GTEST_SKIP() << "no real traces here";
  EXPECT_GT(useful_fraction("paged", *lengths), 0.96);
  EXPECT_LT(useful_fraction("contiguous_max", *lengths), 0.45);
  EXPECT_LT(useful_fraction("contiguous_pow2", *lengths), useful_fraction("paged", *lengths));
}

}  // namespace servecast::kv_waste_test
