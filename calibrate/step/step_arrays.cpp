#include "calibrate/step/step_arrays.h"

#include <algorithm>
#include <functional>

namespace servecast {
namespace {

std::int32_t small(std::int64_t n) { return static_cast<std::int32_t>(n); }

void add_tokens(StepArrays& all, const StepPart& part) {
  const std::int32_t row = small(std::ssize(all.context));
  for (std::int64_t i = 0; i < part.tokens; ++i) {
    all.token_rows.push_back(row);
    all.positions.push_back(small(part.before_tokens + i));
  }
  if (part.emits) all.emitting.push_back(all.tokens() - 1);
  all.context.push_back(small(part.before_tokens + part.tokens));
}

void add_tables(StepArrays& all, std::span<const StepPart> parts, const BlockTables& blocks) {
  for (const StepPart& part : parts)
    all.blocks_per_sequence = std::max(all.blocks_per_sequence, small(std::ssize(blocks.of(part.sequence))));
  const auto width = static_cast<std::size_t>(all.blocks_per_sequence);
  for (const StepPart& part : parts) {
    const std::span<const std::int32_t> own = blocks.of(part.sequence);
    all.table.insert(all.table.end(), own.begin(), own.end());
    all.table.resize(all.table.size() + width - own.size());
  }
}

}  // namespace

std::vector<StepPart> in_kernel_order(std::span<const StepPart> parts) {
  std::vector<StepPart> ordered(parts.begin(), parts.end());
  std::stable_partition(ordered.begin(), ordered.end(), std::mem_fn(&StepPart::decodes));
  return ordered;
}

StepArrays arrays_of(std::span<const StepPart> parts, const BlockTables& blocks) {
  StepArrays all;
  for (const StepPart& part : parts) {
    if (part.decodes) {
      ++all.decodes;
      all.most_context = std::max(all.most_context, small(part.before_tokens + 1));
    } else {
      ++all.prompts;
      all.prompt_start.push_back(small(all.tokens() - all.decodes));
      all.most_new_tokens = std::max(all.most_new_tokens, small(part.tokens));
    }
    add_tokens(all, part);
  }
  all.prompt_start.push_back(all.tokens() - all.decodes);
  add_tables(all, parts, blocks);
  return all;
}

}  // namespace servecast
