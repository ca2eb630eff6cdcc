#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "models/hw/llm/llm.h"
#include "models/hw/llm/shape.h"
#include "models/hw/memory/memory_plan.h"
#include "models/policy/speculative.h"
#include "sim/input/yaml/yaml_fields.h"

namespace servecast {

/// The model that drafts for another one. Looks up its name, or makes it from layers like the other's last one.
/// Nothing where drafts are made without a model.
std::optional<Llm> drafter_llm(const Drafter& drafter, const Llm& target, const Place& where,
                               const std::string& file);

/// What it adds to the memory of each GPU that it is on. Heads of the target use its embedding and LM head.
MemoryBeside drafter_memory(const Drafter& drafter, const Llm& llm, const MemoryUse& use, const Shape& shape);

/// Drafts taken over, one number a line.
std::vector<std::int64_t> load_acceptance_trace(const std::string& file);

}  // namespace servecast
