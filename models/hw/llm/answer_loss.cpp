#include "models/hw/llm/answer_loss.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace servecast {
namespace {

struct Published {
  DataType type;
  std::string_view family;  // how names of its models begin
  double parameters;
  double points, least, most;
  std::string_view source;
};

constexpr std::string_view all_sizes =
    "Kurtic et al., arXiv 2411.02355: fp8 is effectively lossless for Llama-3.1 of all sizes";
constexpr std::array<Published, 12> results{{
    {DataType::fp8, "llama-3", 8e9, 0, 0, 0, all_sizes},
    {DataType::fp8, "llama-3", 70e9, 0, 0, 0, all_sizes},
    {DataType::fp8, "llama-3", 405e9, 0, 0, 0, all_sizes},
    {DataType::w8a8, "llama-3", 8e9, 0, 0, 3,
     "RedHatAI, Llama-3.1-8B-Instruct: 100.3 % of OpenLLM v1, 101.5 % of v2 kept; at most 3 % lost (arXiv "
     "2411.02355)"},
    {DataType::w8a8, "llama-3", 70e9, 0.6, 0, 3,
     "RedHatAI, Llama-3.3-70B-Instruct: 99.4 % of OpenLLM v1 kept; at most 3 % lost (arXiv 2411.02355)"},
    {DataType::int8, "llama-3", 8e9, 0.15, 0.15, 1.28,
     "Neural Magic, Llama-3-8B-Instruct w8a16: OpenLLM v1 68.69 to 68.54"},
    {DataType::int8, "llama-3", 70e9, 1.28, 0.15, 1.28,
     "Neural Magic, Llama-3-70B-Instruct w8a16: OpenLLM v1 79.18 to 77.90"},
    {DataType::int4, "llama-3", 8e9, 2.5, 1.1, 3.9,
     "RedHatAI, Llama-3.1-8B-Instruct w4a16: 98.9 % of OpenLLM v1, 96.1 % of v2 kept"},
    {DataType::int4, "llama-2", 7e9, 1.73, 1.1, 3.9, "GPTQ, Llama-2-7B: MMLU 41.80 to 40.07"},
    {DataType::int4, "llama-2", 70e9, 0.62, 0.5, 1.8, "GPTQ, Llama-2-70B: MMLU 65.43 to 64.81"},
    {DataType::int4, "granite-3", 8e9, 0.49, 0.49, 3.9,
     "Neural Magic, granite-3.1-8b w4a16: OpenLLM v1 70.30 to 69.81"},
    {DataType::nvfp4, "llama-3", 8e9, 3.85, 2.8, 4.9,
     "arXiv 2509.23202, Llama-3.1-8B-Instruct, mean of four: 78.9 to 74.0 rounded to nearest, to 76.1 with training"},
}};

bool of_family(const Published& row, const Llm& llm) { return llm.name.starts_with(row.family); }

double apart(const Published& row, const Llm& llm) { return std::abs(std::log2(parameters(llm) / row.parameters)); }

std::optional<AnswerLoss> loss_of(DataType type, const Llm& llm) {
  const auto nearer = [&](const Published& a, const Published& b) {
    if (of_family(a, llm) != of_family(b, llm)) return of_family(a, llm);
    return apart(a, llm) < apart(b, llm);
  };
  const Published* best = nullptr;
  for (const Published& row : results)
    if (row.type == type && (best == nullptr || nearer(row, *best))) best = &row;
  if (best == nullptr) return std::nullopt;
  return AnswerLoss{.points = best->points,
                    .least_points = best->least,
                    .most_points = best->most,
                    .extrapolated = !of_family(*best, llm) || (best->points > 0 && apart(*best, llm) > 1),
                    .source = std::string(best->source)};
}

/// Stored and published types of the parts that the model has.
std::vector<std::pair<DataType, DataType>> parts(const Llm& llm, const WeightTypes& weights) {
  const WeightTypes& published = llm.published.own;
  std::vector<std::pair<DataType, DataType>> all{{weights.attention, published.attention},
                                                 {weights.output, published.output}};
  if (llm.intermediate > 0 || (llm.experts && llm.experts->shared_intermediate > 0))
    all.emplace_back(weights.mlp, published.mlp);
  if (llm.experts) all.emplace_back(weights.experts, published.experts);
  return all;
}

}  // namespace

std::optional<AnswerLoss> weights_loss(const Llm& llm, const WeightTypes& weights) {
  AnswerLoss most{.source = "no weight is stored in less than it is published in"};
  bool changed = false;
  for (const auto& [stored, published] : parts(llm, weights)) {
    const bool same_math = facts(stored).activation_bytes >= facts(published).activation_bytes;
    if (stored == published || (facts(stored).bytes >= facts(published).bytes && same_math)) continue;
    const std::optional<AnswerLoss> loss = loss_of(stored, llm);
    if (!loss) return std::nullopt;
    if (!changed || loss->points > most.points) most = *loss;
    changed = true;
  }
  return most;
}

}  // namespace servecast
