#include "tests/matrix/draw/hardware.h"

#include <algorithm>

namespace servecast::matrix {
namespace {

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all{
      {"dgx_h100", "h100_sxm_80g", 8, 80, {"bf16", "bf16", "fp8", "int8"}, true},
      {"hgx_h200", "h200_sxm_141g", 8, 141, {"bf16", "bf16", "fp8"}, true},
      {"dgx_a100", "a100_sxm_80g", 8, 80, {"bf16", "bf16", "int8", "w8a8"}, false},
      {"hgx_a800", "a800_sxm_80g", 8, 80, {"bf16"}, false},
      {"pcie_server", "l40s_48g", 8, 48, {"bf16", "fp8"}, false},
      {"pcie_server_4", "a100_pcie_80g", 4, 80, {"bf16", "int4"}, false},
      {"pcie_server_4", "h100_pcie_80g", 4, 80, {"bf16", "fp8"}, false},
      {"pcie_server_1", "rtx_4090_24g", 1, 24, {"bf16", "fp8"}, false},
  };
  return all;
}

/// qwen3-next-80b-a3b is drawn as if it had no experts: routing is modelled of 256 at most, it has 512.
const std::vector<Model>& models() {
  static const std::vector<Model> all{
      {"llama-3.1-8b", 16, 0, {1, 2, 4, 8, 16}},        {"llama-3.1-8b", 16, 0, {1, 2, 4, 8, 16}},
      {"mistral-7b", 14.5, 0, {1, 2, 4, 8, 16}},        {"qwen2.5-7b", 15.3, 0, {1, 2, 4}},
      {"deepseek-v2-lite", 31.5, 64, {1, 2, 4, 8, 16}}, {"mixtral-8x7b", 93.5, 8, {1, 2, 4, 8}, "mixtral_routing"},
      {"qwen3-30b-a3b", 61, 128, {1, 2, 4, 8}},         {"gpt-oss-20b", 41.8, 32, {1, 2, 4, 8}},
      {"gemma-3-27b", 54.9, 0, {1, 2, 4, 8}},           {"qwen3-next-80b-a3b", 163, 0, {1, 2, 4, 8}},
  };
  return all;
}

double bytes_of(const std::string& weights) {
  if (weights == "bf16") return 1;
  return weights == "int4" ? 0.3 : 0.55;  // of bf16; what stays in it included
}

constexpr double room_gb = 9;  // activations, reserve and some KV

/// Whole experts on each GPU: with ranks that send tokens to each other, over stages and over nodes, too.
std::vector<Cut> expert_cuts(const Machine& machine) {
  std::vector<Cut> all{
      {.tensor = 2, .expert = 2}, {.tensor = 4, .expert = 4}, {.tensor = 2, .pipeline = 2, .expert = 2}};
  if (!machine.exchanges_experts) return all;
  for (const std::int64_t ranks : {2, 4, 8, 16}) all.insert(all.end(), 2, {.expert = ranks});
  all.insert(all.end(), {{.tensor = 2, .expert = 4}, {.tensor = 2, .expert = 8}, {.tensor = 4, .expert = 16}});
  all.insert(all.end(),
             {{.pipeline = 2, .expert = 2}, {.pipeline = 2, .expert = 4}, {.tensor = 2, .pipeline = 2, .expert = 4}});
  return all;
}

/// Every cut for which there is a reason to draw it, those of which more are to be drawn several times.
std::vector<Cut> cuts(const Machine& machine, const Model& model) {
  std::vector<Cut> all(8);
  const std::int64_t two_nodes = 2 * machine.gpus;
  all.insert(all.end(),
             {{.tensor = 2}, {.tensor = 2}, {.tensor = 4}, {.pipeline = 2}, {.pipeline = 2}, {.pipeline = 4}});
  all.insert(all.end(), {{.tensor = 2, .pipeline = 2}, {.tensor = two_nodes}, {.tensor = two_nodes}});
  all.push_back({.tensor = two_nodes, .pipeline = 2});
  if (model.experts == 0) return all;
  const std::vector<Cut> with_experts = expert_cuts(machine);
  all.insert(all.end(), with_experts.begin(), with_experts.end());
  return all;
}

bool divides(const Machine& machine, const Model& model, const Cut& cut) {
  const auto whole = [&](std::int64_t gpus) { return gpus <= machine.gpus || gpus % machine.gpus == 0; };
  const bool heads = std::ranges::find(model.tensor_parallel, cut.tensor) != model.tensor_parallel.end();
  return heads && whole(cut.tensor) && whole(cut.expert) && (cut.expert == 1 || model.experts % cut.expert == 0);
}

bool fits(const Machine& machine, const Model& model, const std::string& weights, const Cut& cut) {
  return model.gb * bytes_of(weights) / static_cast<double>(cut.gpus()) + room_gb < 0.85 * machine.gpu_gb;
}

}  // namespace

std::vector<Machine> draw_machines(Draw draw) {
  std::vector<Machine> chosen{draw.pick(machines())};
  Draw second = draw.at("second");
  if (!second.chance(0.15)) return chosen;
  const Machine other = second.pick(machines());
  const bool connected = chosen.front().gpus > 1 && other.gpus > 1;
  if (connected && other.gpu != chosen.front().gpu) chosen.push_back(other);
  return chosen;
}

std::optional<Fitted> draw_cut(Draw draw, const Machine& machine, const Model& model) {
  std::vector<Fitted> possible;
  const std::string weights = draw.at("weights").pick(machine.weights);
  for (const Cut& cut : cuts(machine, model))
    if (divides(machine, model, cut) && fits(machine, model, weights, cut)) possible.push_back({model, weights, cut});
  if (possible.empty()) return std::nullopt;
  return draw.pick(possible);
}

Fitted draw_model(Draw draw, const Machine& machine) {
  for (const Model& model : {draw.at("model").pick(models()), models().front()})
    if (const auto fitted = draw_cut(draw, machine, model)) return *fitted;
  return {models().front(), "int4", {}};
}

}  // namespace servecast::matrix
