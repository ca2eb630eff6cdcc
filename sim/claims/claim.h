#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace servecast {

class ClaimModels;

// What claims are stated in.
inline constexpr double giga = 1e9;
inline constexpr double percent = 100;

/// A figure, or a range of them.
struct StatedFigure {
  double low = 0;
  double high = 0;

  constexpr StatedFigure(double value) : low(value), high(value) {}
  constexpr StatedFigure(double one, double other) : low(std::min(one, other)), high(std::max(one, other)) {}
};

/// How a claim speaks of its figure.
enum class Says { is, at_most, at_least };

/// Where a finding's figure comes from: our models, or what its authors measured and printed.
enum class Basis { computed, published };

/// What is found of a claim, and how: the figures on the way there.
struct Finding {
  StatedFigure value;
  std::string working;
  Basis basis = Basis::computed;
};

/// Something that is said about LLM serving, with the one figure in it that can be checked.
struct Claim {
  char article = 'A';  // which of claim_articles
  std::string_view claim;
  Says says = Says::is;
  StatedFigure stated;
  std::string_view unit;
  Finding (*compute)(ClaimModels& models);
};

struct ClaimVerdict {
  std::string_view word;  // holds, overstated (the stated figure is too large) or understated (too small)
  double factor = 1;      // between the stated and the computed figure, where it does not hold; 0: the one is nothing
};

/// Holds where the ranges come within a tenth of each other, on the right side for bounds.
ClaimVerdict verdict(Says says, StatedFigure stated, StatedFigure computed);

// The claims, by what decides them; each file is one subject.
std::vector<Claim> memory_claims();
std::vector<Claim> arithmetic_claims();
std::vector<Claim> prompt_claims();
std::vector<Claim> fast_slow_claims();
std::vector<Claim> fleet_claims();
std::vector<Claim> published_claims();

/// A claim with what came out.
struct CheckedClaim {
  Claim claim;
  Finding finding;
  ClaimVerdict verdict;
};

/// All claims, by article.
std::vector<CheckedClaim> check_claims();

/// What each article is about.
struct ClaimArticle {
  char letter;
  std::string_view about;
};
std::span<const ClaimArticle> claim_articles();

}  // namespace servecast
