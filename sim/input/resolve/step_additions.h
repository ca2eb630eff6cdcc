#pragma once
#include <functional>
#include <memory>
#include <string>

#include "sim/input/scenario/scenario.h"

namespace servecast {

// What host layers, early exits, drafts and adapters make of a pool: what is wrong with them, what memory they take,
// and how they change the time of a step.

/// The step time of `llm` on `device`s, spread over them like this, without the host's time. Nothing where that is
/// impossible: the problem is left in the scenario's text.
using LatencyOf = std::function<std::unique_ptr<StepLatency>(const Llm& llm, const Gpu& device, const Shape& shape)>;

/// Checks the settings, and looks up what they name: the host's processor, the drafter, its trace. What is wrong is
/// left in the text's problems; true where nothing is. `path`: of the pool.
bool load_additions(YamlText& text, const std::string& path, HardwareFiles& files, const HardwareChanges& changes,
                    Pool& pool);

/// Rows of a decode step at most: a sequence's own token and its drafts.
std::int64_t max_rows(const PoolSpec& spec);
/// What the drafter and the LoRA slots take on each GPU.
MemoryBeside memory_beside(const Pool& pool, const MemoryUse& use);

/// Whether the model is timed in parts: layers run on the host, or decodes leave early.
bool in_parts(const Pool& pool);
std::unique_ptr<StepLatency> latency_in_parts(const Pool& pool, const LatencyOf& latency_of);

/// `pool.latency` with what the host launches layer by layer, where the engine has prompts in no CUDA graph.
void add_eager_launch(Pool& pool);
/// `pool.latency` with drafts made and checked, where sequences speculate.
void add_drafting(Pool& pool, const LatencyOf& latency_of);
/// `pool.latency` with adapters in use, and `pool.adapters`, where it serves any.
void add_adapters(Pool& pool, const Node& node);

}  // namespace servecast
