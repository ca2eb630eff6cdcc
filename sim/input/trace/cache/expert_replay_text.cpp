#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/input/trace/cache/expert_replay.h"

namespace servecast {
namespace {

using Json = nlohmann::ordered_json;

std::string percents(std::span<const double> values) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{:.1f}", text.empty() ? "" : " / ", 100 * value);
  return text + " %";
}

std::string statistics_text(const ExpertReplayReport& r) {
  const RoutingStatistics& s = r.statistics;
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<28} {}\n", name, value);
  };
  line("tokens", fmt::format("{} of {} generations, {} layers x {} of {} experts", r.tokens, r.generations,
                             r.shape.layers, r.shape.active, r.shape.experts));
  line("load", fmt::format("most used expert {:.2f} x mean, entropy {:.3f}, top quarter {:.1f} %",
                           s.load_max_over_mean, s.load_entropy_fraction, 100 * s.top_quarter_fraction));
  line("same as token before",
       fmt::format("{:.1f} % (by chance {:.1f} %)", 100 * s.repeat_fraction, 100 * s.chance_repeat_fraction));
  line("likeliest in next layer",
       fmt::format("{:.1f} % (by chance {:.1f} %)", 100 * s.successor_fraction, 100 * s.chance_successor_fraction));
  line("gate by rank", percents(s.gate_by_rank));
  line("gate entropy",
       fmt::format("mean {:.3f}, deciles {:.3f}", s.gate_entropy_mean, fmt::join(s.gate_entropy_deciles, " ")));
  line("experts of 1, 2, 4 ... 128", fmt::format("{:.1f}", fmt::join(s.distinct_by_batch, " / ")));
  if (r.spec.ranks > 0)
    line(fmt::format("fullest of {} ranks", r.spec.ranks),
         fmt::format("{:.2f} x mean; balanced with {} more experts {:.2f}", r.rank_load_in_order, r.spec.redundant,
                     r.rank_load_balanced));
  return text;
}

Json statistics_json(const RoutingStatistics& s) {
  return {{"load_max_over_mean", s.load_max_over_mean},
          {"load_entropy_fraction", s.load_entropy_fraction},
          {"top_quarter_fraction", s.top_quarter_fraction},
          {"repeat_fraction", s.repeat_fraction},
          {"chance_repeat_fraction", s.chance_repeat_fraction},
          {"successor_fraction", s.successor_fraction},
          {"chance_successor_fraction", s.chance_successor_fraction},
          {"gate_by_rank", s.gate_by_rank},
          {"gate_entropy_mean", s.gate_entropy_mean},
          {"gate_entropy_deciles", s.gate_entropy_deciles},
          {"distinct_by_batch", s.distinct_by_batch}};
}

}  // namespace

std::string to_text(const ExpertReplayReport& report) {
  std::string text = statistics_text(report);
  if (report.results.empty()) return text;
  const std::size_t sizes = report.spec.slots.size();
  text += fmt::format("\nHits, share of all uses, every generation cold:\n{:>14}", "slots per layer");
  for (const std::string& policy : report.spec.policies) text += fmt::format("{:>18}", policy);
  for (std::size_t size = 0; size < sizes; ++size) {
    text += fmt::format("\n{:>14} ", report.spec.slots[size]);
    for (std::size_t i = size; i < report.results.size(); i += sizes)
      text += fmt::format("{:>16.2f} %", 100 * report.fraction(report.results[i]));
  }
  return text + "\n";
}

std::string to_json(const ExpertReplayReport& report) {
  Json results = Json::array();
  for (const ExpertCacheResult& result : report.results)
    results.push_back({{"policy", result.policy},
                       {"slots", result.slots},
                       {"hit_fraction", report.fraction(result)},
                       {"hits_by_layer", result.hits}});
  Json out{{"layers", report.shape.layers},     {"experts", report.shape.experts},
           {"active", report.shape.active},     {"tokens", report.tokens},
           {"generations", report.generations}, {"statistics", statistics_json(report.statistics)}};
  if (report.spec.ranks > 0)
    out["ranks"] = {{"ranks", report.spec.ranks},
                    {"redundant", report.spec.redundant},
                    {"load_in_order", report.rank_load_in_order},
                    {"load_balanced", report.rank_load_balanced}};
  out["results"] = results;
  return out.dump(2) + "\n";
}

std::string to_csv(const ExpertReplayReport& report) {
  std::string text = "policy,slots,layer,hits,uses,hit_fraction\n";
  for (const ExpertCacheResult& result : report.results)
    for (std::size_t layer = 0; layer < result.hits.size(); ++layer)
      text += fmt::format("{},{},{},{},{},{}\n", result.policy, result.slots, layer, result.hits[layer],
                          report.uses_per_layer(), static_cast<double>(result.hits[layer]) / report.uses_per_layer());
  return text;
}

}  // namespace servecast
