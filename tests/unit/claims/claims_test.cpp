#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/claims/claim_models.h"
#include "sim/claims/claims_text.h"

namespace servecast::claims_test {

const std::vector<CheckedClaim>& claims() {
  static const std::vector<CheckedClaim> all = check_claims();
  return all;
}

const CheckedClaim& claim(std::string_view begins) {
  for (const CheckedClaim& c : claims())
    if (c.claim.claim.starts_with(begins)) return c;
  ADD_FAILURE() << "no claim begins with: " << begins;
  return claims().front();
}

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(Verdict, OfAFigure) {
  EXPECT_EQ(verdict(Says::is, 10, 10.9).word, "holds");
  EXPECT_EQ(verdict(Says::is, 10, 9.2).word, "holds");
  EXPECT_EQ(verdict(Says::is, 10, 5).word, "overstated");
  EXPECT_DOUBLE_EQ(verdict(Says::is, 10, 5).factor, 2);
  EXPECT_EQ(verdict(Says::is, 10, 40).word, "understated");
  EXPECT_DOUBLE_EQ(verdict(Says::is, 10, 40).factor, 4);
}

TEST(Verdict, OfRangesThatMeetOrNot) {
  EXPECT_EQ(verdict(Says::is, {2, 4}, {3, 9}).word, "holds");
  EXPECT_EQ(verdict(Says::is, {2, 4}, {5, 9}).word, "understated");
  EXPECT_DOUBLE_EQ(verdict(Says::is, {2, 4}, {5, 9}).factor, 1.25);
  EXPECT_EQ(verdict(Says::is, 3, {1, 2}).word, "overstated");
  EXPECT_EQ(verdict(Says::is, 3, {2, 1}).word, "overstated");  // in whatever order its ends come
  EXPECT_EQ(verdict(Says::is, 1.5, {2, 1}).word, "holds");
}

TEST(Verdict, OfBoundsLooksAtOneSide) {
  EXPECT_EQ(verdict(Says::at_most, 5, 1).word, "holds");
  EXPECT_EQ(verdict(Says::at_most, 5, 10).word, "understated");
  EXPECT_EQ(verdict(Says::at_least, 60, 97).word, "holds");
  EXPECT_EQ(verdict(Says::at_least, 60, 7).word, "overstated");
}

TEST(Verdict, OfNothingHasNoFactor) {
  EXPECT_EQ(verdict(Says::is, 60, 0).word, "overstated");
  EXPECT_EQ(verdict(Says::is, 60, 0).factor, 0);
}

// Figures that are not in the articles, worked out by hand or printed by the systems' authors.
TEST(Claims, SizesFollowFromTheArchitectures) {
  EXPECT_DOUBLE_EQ(claim("Llama-2-7B holds").finding.value.low, 2.0 * 32 * 4096 * 2 * 2048 / 1e9);
  EXPECT_NEAR(claim("KV takes more").finding.value.low, 7.4, 0.05);
  EXPECT_NEAR(claim("prompts of 512").finding.value.low, 4.12, 0.02);
  EXPECT_EQ(claim("the whole DeepSeek").finding.value.low, 16);
  EXPECT_EQ(claim("contexts of 128K").finding.value.low, 26);  // (1,280 - 141) / 42.9 GB
  EXPECT_EQ(claim("each output token").finding.value.low, 599);
}

TEST(Claims, QueueingAndCostFollowFromTheArticlesOwnFigures) {
  EXPECT_NEAR(claim("sending 1.3 %").finding.value.low, 97.7, 0.05);
  EXPECT_NEAR(claim("a slow answer of 100 s").finding.value.low, 0.5, 1e-9);
  EXPECT_NEAR(claim("most slow answers").finding.value.low, 13.9, 0.05);
  EXPECT_NEAR(claim("a replica starts cold").finding.value.low, 1071, 5);
  EXPECT_NEAR(claim("a phone's battery").finding.value.low, 6.2, 0.05);
}

TEST(Claims, FiguresOfPapersAreMarkedAsTheirs) {
  for (const char* published : {"AI compute doubles", "semi-PD answers", "SpecEE is", "substituting experts"})
    EXPECT_EQ(claim(published).finding.basis, Basis::published) << published;
  EXPECT_EQ(claim("fragmentation").finding.basis, Basis::computed);
  EXPECT_THAT(claims_markdown(claims()), testing::HasSubstr("| 6.00 months, *published* |"));
}

// 12.8 TB over 3 x 614.4 GB/s
TEST(Claims, SearchingAllVectorsIsBoundByMemory) {
  EXPECT_NEAR(claim("200 billion vectors are searched").finding.value.low, 12.8e12 / (3 * 614.4e9) * 1e3, 1e-6);
}

TEST(Claims, StepTimesAreNoBetterThanTheMemoryAllows) {
  ClaimModels models;
  const double weights_s = weight_bytes(models.llm("llama-3.1-8b"), DataType::bf16) / 2.039e12;
  EXPECT_GT(models.decode_s({"llama-3.1-8b", "a100_sxm_80g"}, 1, 128), weights_s * 0.9);
  EXPECT_LT(models.decode_s({"llama-3.1-8b", "a100_sxm_80g"}, 1, 128), weights_s * 2);
}

TEST(Claims, AreThirtySevenAndEachSaysHow) {
  EXPECT_EQ(claims().size(), 37U);
  for (const CheckedClaim& c : claims()) {
    EXPECT_FALSE(c.finding.working.empty()) << c.claim.claim;
    EXPECT_LE(c.claim.stated.low, c.claim.stated.high) << c.claim.claim;
  }
}

TEST(Claims, PageIsUpToDate) {
  EXPECT_EQ(text_of(std::string(SERVECAST_SOURCE_DIR) + "/docs/claims.md"), claims_markdown(claims()))
      << "run: servecast claims > docs/claims.md";
}

TEST(Claims, JsonSaysTheSame) {
  const auto items = nlohmann::json::parse(claims_json(claims()));
  ASSERT_EQ(items.size(), 37U);
  EXPECT_EQ(items[0]["article"], "A");
  for (const auto& item : items) EXPECT_THAT(claims_markdown(claims()), testing::HasSubstr(item["how"]));
}

}  // namespace servecast::claims_test
