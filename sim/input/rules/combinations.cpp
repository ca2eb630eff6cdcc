#include "sim/input/rules/combinations.h"

#include <fmt/format.h>

#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

namespace feature {

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
      return c.batcher.after_last() != AfterLast::frees;
    }};
constexpr Feature offload{.name = "expert offload", .key = ".expert_offload", .used = [](const PoolContext& c) {
                            return c.pool.expert_offload.has_value();
                          }};
constexpr Feature copies{.name = "copies of experts",
                         .key = ".expert_exchange.redundant_experts",
                         .used = [](const PoolContext& c) { return c.pool.expert_exchange.redundant_experts > 0; }};

constexpr const char* batch_stays = "whole batches stay together, so no request can go on elsewhere";

}  // namespace feature

constexpr Combination refused_pairs[] = {
    {&feature::sm_sharing, &feature::whole_batches, feature::batch_stays, "choose another batcher"},
    {&feature::hand_over, &feature::whole_batches, feature::batch_stays, "choose another batcher"},
    {&feature::roles, &feature::whole_batches, feature::batch_stays, "choose another batcher"},
    {&feature::migration, &feature::whole_batches, feature::batch_stays,
     "choose another batcher, or migration 'none'"},
    {&feature::migration, &feature::roles, "the placement decides which replicas decode", "choose migration 'none'"},
    {&feature::offload, &feature::copies, "copies take the memory that offload is to save",
     "leave out expert_exchange.redundant_experts"},
};

constexpr std::string_view combinations_head = R"(# What cannot be used together

<!-- Written by `servecast schema --of combinations --format markdown`. Change sim/input/rules/combinations.cpp, not this file. -->

Any feature of a pool goes with any other, apart from these pairs, which ask for opposite things. `servecast check` names
them with their place.

| feature | with | because | instead |
|---|---|---|---|
)";

}  // namespace

std::span<const Combination> refused_combinations() { return refused_pairs; }

bool check_combinations(YamlText& text, const std::string& path, const PoolSpec& pool) {
  const auto placement = pool.placement.make();
  const auto batcher = pool.batcher.make();
  const PoolContext context{pool, *placement, *batcher};
  bool fine = true;
  for (const Combination& row : refused_pairs) {
    if (!row.refused->used(context) || !row.with->used(context)) continue;
    fine = false;
    text.fail(path + row.refused->key, fmt::format("pool '{}' cannot have {} together with {}: {}; {}", pool.name,
                                                   row.refused->name, row.with->name, row.reason, row.remedy));
  }
  return fine;
}

std::string combinations_markdown() {
  std::string page(combinations_head);
  for (const Combination& row : refused_pairs)
    page += fmt::format("| {} | {} | {} | {} |\n", row.refused->name, row.with->name, row.reason, row.remedy);
  return page;
}

}  // namespace servecast
