#include "sim/input/rules/combinations.h"

#include <fmt/format.h>

#include "models/hw/machine/node.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

namespace feature {

constexpr Feature spares{.name = "spare nodes",
                         .key = "failures.spares",
                         .used = [](const PoolContext& c) { return c.scenario.spares() > 0; },
                         .of_scenario = true};
constexpr Feature autoscaler{
    .name = "an autoscaler", .key = ".autoscaler", .used = [](const PoolContext& c) { return c.pool.scales(); }};
constexpr Feature hand_over{.name = "prefill/decode disaggregation",
                            .key = ".placement",
                            .used = [](const PoolContext& c) { return !c.placement.decode_pool().empty(); }};
constexpr Feature roles{.name = "prefill and decode roles within a pool",
                        .key = ".placement",
                        .used = [](const PoolContext& c) { return c.placement.prefill_replicas() > 0; }};
constexpr Feature sm_sharing{.name = "prefill and decode on shares of the SMs",
                             .key = ".placement",
                             .used = [](const PoolContext& c) { return c.placement.sm_partition() != nullptr; }};
constexpr Feature migration{.name = "migration", .key = ".migration", .used = [](const PoolContext& c) {
                              return c.pool.migration.policy() != "none";
                            }};
constexpr Feature whole_batches{
    .name = "a batcher that keeps whole batches together", .key = ".batcher", .used = [](const PoolContext& c) {
      return c.batcher.after_last() != AfterLast::leaves;
    }};
constexpr Feature offload{.name = "expert offload", .key = ".expert_offload", .used = [](const PoolContext& c) {
                            return c.pool.expert_offload.has_value();
                          }};
constexpr Feature copies{.name = "copies of experts",
                         .key = ".expert_exchange.redundant_experts",
                         .used = [](const PoolContext& c) { return c.pool.expert_exchange.redundant_experts > 0; }};
constexpr Feature models{
    .name = "several models that share expert slots",
    .key = ".expert_offload.models",
    .used = [](const PoolContext& c) { return offload.used(c) && c.pool.expert_offload->models > 1; }};
constexpr Feature adapters{
    .name = "LoRA adapters", .key = ".lora", .used = [](const PoolContext& c) { return c.pool.lora.has_value(); }};
constexpr Feature early_exit{.name = "early exit", .key = ".early_exit", .used = [](const PoolContext& c) {
                               return c.pool.early_exit.policy() != "none";
                             }};
constexpr Feature host_layers{.name = "layers on the host", .key = ".host_layers", .used = [](const PoolContext& c) {
                                return c.pool.host_layers.layers > 0;
                              }};

constexpr const char* batch_stays = "whole batches stay together, so no request can go on elsewhere";

}  // namespace feature

using enum Obstacle;

constexpr Combination refused_pairs[] = {
    {&feature::autoscaler, &feature::spares, excluded, "both keep reserves",
     "leave the spares out and have more replicas"},
    {&feature::sm_sharing, &feature::whole_batches, excluded, feature::batch_stays, "choose another batcher"},
    {&feature::hand_over, &feature::whole_batches, excluded, feature::batch_stays, "choose another batcher"},
    {&feature::roles, &feature::whole_batches, excluded, feature::batch_stays, "choose another batcher"},
    {&feature::migration, &feature::whole_batches, excluded, feature::batch_stays,
     "choose another batcher, or migration 'none'"},
    {&feature::migration, &feature::roles, excluded, "the placement decides which replicas decode",
     "choose migration 'none'"},
    {&feature::offload, &feature::copies, excluded, "copies take the memory that offload is to save",
     "leave out expert_exchange.redundant_experts"},
    {&feature::offload, &feature::early_exit, no_data,
     "nobody published which experts tokens ask for that leave early", "leave out early_exit"},
    {&feature::offload, &feature::host_layers, excluded, "the host cannot have whole layers, too",
     "leave out host_layers"},
    {&feature::models, &feature::adapters, excluded, "a request's adapter would name both a model and a LoRA adapter",
     "leave out lora"},
};

constexpr std::string_view combinations_head = R"(# What cannot be used together

<!-- Written by `servecast schema --of combinations --format markdown`. Change sim/input/rules/combinations.cpp, not this file. -->

Any feature of a pool goes with any other, apart from these pairs. *Not built*: nothing stands against it but that it is
not modelled yet. *No data*: nobody has published what the forecast would have to rest on. *Contradiction*: the two ask
for opposite things. `servecast check` names them with their place.

| feature | with | why not | because | instead |
|---|---|---|---|---|
)";

}  // namespace

std::span<const Combination> refused_combinations() { return refused_pairs; }

std::string_view name(Obstacle obstacle) {
  constexpr std::string_view names[] = {"not built", "no data", "contradiction"};
  return names[static_cast<std::size_t>(obstacle)];
}

bool check_combinations(YamlText& text, const std::string& path, const ScenarioSpec& scenario, const PoolSpec& pool,
                        const Node& node) {
  const auto placement = pool.placement.make();
  const auto batcher = pool.batcher.make();
  const PoolContext context{scenario, pool, node, *placement, *batcher};
  bool fine = true;
  for (const Combination& row : refused_pairs) {
    if (!row.refused->used(context) || !row.with->used(context)) continue;
    fine = false;
    text.fail(row.refused->of_scenario ? row.refused->key : path + row.refused->key,
              fmt::format("pool '{}' cannot have {} together with {}: {}; {}", pool.name, row.refused->name,
                          row.with->name, row.reason, row.remedy));
  }
  return fine;
}

std::string combinations_markdown() {
  std::string page(combinations_head);
  for (const Combination& row : refused_pairs)
    page += fmt::format("| {} | {} | {} | {} | {} |\n", row.refused->name, row.with->name, name(row.obstacle),
                        row.reason, row.remedy);
  return page;
}

}  // namespace servecast
