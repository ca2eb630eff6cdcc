#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace servecast {

class AnswerQuality;
class ClassNames;
class NodeGroups;
struct Pool;
struct ScenarioSpec;
struct YamlText;

/// All targets that can answer, by TargetId: the pools, then the API tiers of the gateway.
std::vector<std::string> target_names(const ScenarioSpec& spec);

/// Passes of a request that the stage which plans them may have under way at a time; 1 where there is none.
std::int64_t graph_width(const ScenarioSpec& spec);

/// Without pools, outside APIs must answer, and nothing may be said of machines. Leaves that in the text's problems.
void check_servers(YamlText& text, const ScenarioSpec& spec);

/// What is wrong between the stages of the gateway, the table of scores and the pools' names is left in the text's
/// problems.
void check_gateway(YamlText& text, const ScenarioSpec& spec);

/// Likewise, of pools that are looked up: whether KV can go from one to the other.
void check_kv_paths(YamlText& text, const ScenarioSpec& spec, const NodeGroups& groups,
                    const std::vector<Pool>& pools);

/// The table of scores. `classes` may grow by those that it names. What narrower weights of `pools` lose is taken off
/// scores of models as published; nothing where no result is published, as the report says.
AnswerQuality answer_quality(const ScenarioSpec& spec, ClassNames& classes, std::span<const Pool> pools = {});

}  // namespace servecast
