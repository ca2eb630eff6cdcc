#include "models/hw/llm/weight_types.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/base/names.h"

namespace servecast {
namespace {

/// "MLPs"; "output, MLPs and experts".
std::string listed(std::vector<std::string> names) {
  const std::string last = std::move(names.back());
  names.pop_back();
  return names.empty() ? last : join(names) + " and " + last;
}

}  // namespace

std::string weights_name(const WeightTypes& types) {
  std::vector<std::pair<DataType, std::vector<std::string>>> apart;  // from attention's
  for (const auto& [part, type] :
       {std::pair("output", types.output), {"MLPs", types.mlp}, {"experts", types.experts}}) {
    if (type == types.attention) continue;
    auto same = std::ranges::find(apart, type, &std::pair<DataType, std::vector<std::string>>::first);
    if (same == apart.end()) same = apart.insert(same, {type, {}});
    same->second.emplace_back(part);
  }
  std::string text(facts(types.attention).name);
  for (const auto& [type, parts] : apart) text += ", " + listed(parts) + " " + std::string(facts(type).name);
  return text;
}

WeightTypes weight_types(const WeightSettings& settings, const Checkpoints& of) {
  WeightTypes types = of.own;
  if (settings.all == "nvfp4")
    types = of.nvfp4;
  else if (settings.all != "auto")
    types = data_type(settings.all).value();
  for (DataType* part : {&types.attention, &types.output, &types.mlp})
    if (of_experts_alone(*part)) *part = DataType::bf16;
  if (settings.attention != "auto") types.attention = types.output = data_type(settings.attention).value();
  if (settings.experts != "auto") types.experts = data_type(settings.experts).value();
  return types;
}

}  // namespace servecast
