#include "sim/claims/claims_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sim/report/layout/human.h"

namespace servecast {
namespace {

constexpr std::string_view head =
    "# What is said about LLM serving, computed\n\n"
    "<!-- Written by `servecast claims`. Change sim/claims/, not this file. -->\n\n"
    "Figures from five widely read articles, beside what the models of this simulator make of them: sizes from the "
    "models'\n"
    "configurations, times from the measured profiles of A100, H100 and H200 under vLLM 0.15, prices and wires from "
    "the bundled\n"
    "hardware files. A claim *holds* where both come within a tenth of each other; otherwise the stated figure is "
    "*overstated*\n"
    "(too large) or *understated* (too small), by the factor given. A figure marked *published* is its authors', not "
    "ours.\n"
    "`servecast claims --format json` says the same to programs.\n";

std::string figure(StatedFigure figure) {
  if (figure.low == figure.high) return human::number(figure.low);
  return fmt::format("{} to {}", human::number(figure.low), human::number(figure.high));
}

std::string stated(const Claim& claim) {
  constexpr std::array<std::string_view, 3> words{"", "at most ", "at least "};
  return fmt::format("{}{} {}", words[static_cast<std::size_t>(claim.says)], figure(claim.stated), claim.unit);
}

std::string verdict_words(const ClaimVerdict& verdict) {
  if (verdict.word == "holds") return "holds";
  if (verdict.factor == 0) return fmt::format("**{}**", verdict.word);
  return fmt::format("**{}**, x {}", verdict.word, human::number(verdict.factor));
}

constexpr std::array<std::string_view, 2> bases{"computed", "published"};

std::string_view basis(const Finding& finding) { return bases[static_cast<std::size_t>(finding.basis)]; }

std::string row(const CheckedClaim& c) {
  const std::string mark = c.finding.basis == Basis::published ? fmt::format(", *{}*", basis(c.finding)) : "";
  return fmt::format("| {} | {} | {} {}{} | {} | {} |\n", c.claim.claim, stated(c.claim), figure(c.finding.value),
                     c.claim.unit, mark, verdict_words(c.verdict), c.finding.working);
}

}  // namespace

std::string claims_markdown(std::span<const CheckedClaim> claims) {
  const auto holding = std::ranges::count(claims, "holds", [](const CheckedClaim& c) { return c.verdict.word; });
  std::string page(head);
  const auto published =
      std::ranges::count(claims, Basis::published, [](const CheckedClaim& c) { return c.finding.basis; });
  page += fmt::format("\n{} of {} hold; {} figures are published ones.\n", holding, claims.size(), published);
  for (const ClaimArticle& article : claim_articles()) {
    page += fmt::format("\n## Article {}: {}\n\n| claim | stated | found | verdict | how |\n|---|---|---|---|---|\n",
                        article.letter, article.about);
    for (const CheckedClaim& c : claims)
      if (c.claim.article == article.letter) page += row(c);
  }
  return page;
}

std::string claims_json(std::span<const CheckedClaim> claims) {
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  for (const CheckedClaim& c : claims)
    items.push_back({{"article", std::string(1, c.claim.article)},
                     {"claim", c.claim.claim},
                     {"stated", stated(c.claim)},
                     {"found", figure(c.finding.value)},
                     {"basis", basis(c.finding)},
                     {"unit", c.claim.unit},
                     {"verdict", c.verdict.word},
                     {"factor", human::number(c.verdict.factor)},
                     {"how", c.finding.working}});
  return items.dump(2) + "\n";
}

}  // namespace servecast
