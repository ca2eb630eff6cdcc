#include "calibrate/measure/step_shapes.h"

#include <algorithm>

#include "models/base/counts.h"

namespace servecast {
namespace {

struct Decodes {
  std::int64_t sequences = 0;
  std::int64_t context = 0;
};
constexpr Decodes decodes[]{{0, 0},    {1, 128},   {1, 1024},  {1, 8192},  {8, 128},    {8, 1024},  {8, 8192},
                            {32, 128}, {32, 1024}, {32, 8192}, {128, 128}, {128, 1024}, {128, 8192}};

struct Prompts {
  std::int64_t sequences = 0;
  std::int64_t tokens = 0;
  std::int64_t prefix = 0;
};
constexpr Prompts prompts[]{{0, 0, 0},    {1, 128, 0},    {4, 128, 0},   {1, 512, 0},
                            {1, 2048, 0}, {1, 512, 4096}, {2, 256, 1024}};
constexpr std::size_t stride = 37;  // shares no factor with the number of shapes

}  // namespace

std::vector<StepShape> standard_step_shapes() {
  std::vector<StepShape> grid;
  for (const Decodes& d : decodes)
    for (const Prompts& p : prompts)
      if (d.sequences + p.sequences > 0)
        grid.push_back({.decodes = d.sequences,
                        .decode_context = d.context,
                        .prompts = p.sequences,
                        .prompt_tokens = p.tokens,
                        .prompt_prefix = p.prefix});
  std::vector<StepShape> spread;
  for (std::size_t i = 0; i < grid.size(); ++i) spread.push_back(grid[i * stride % grid.size()]);
  return spread;
}

std::vector<StepPart> parts_of(const StepShape& s) {
  std::vector<StepPart> parts;
  for (std::int64_t i = 0; i < s.decodes; ++i)
    parts.push_back(
        {.sequence = i, .before_tokens = s.decode_context - 1, .tokens = 1, .decodes = true, .emits = true});
  for (std::int64_t i = 0; i < s.prompts; ++i)
    parts.push_back(
        {.sequence = s.decodes + i, .before_tokens = s.prompt_prefix, .tokens = s.prompt_tokens, .emits = true});
  return parts;
}

StepLimits limits_of(const std::vector<StepShape>& shapes, std::int64_t block_tokens) {
  StepLimits limits{.tokens = 1, .sequences = 1, .context = 1, .kv_blocks = 0, .block_tokens = block_tokens};
  for (const StepShape& shape : shapes) {
    const std::vector<StepPart> parts = parts_of(shape);
    std::int64_t tokens = 0;
    std::int64_t blocks = 0;
    for (const StepPart& part : parts) {
      const std::int64_t held = part.before_tokens + part.tokens;
      tokens += part.tokens;
      blocks += divided_up(held, block_tokens);
      limits.context = std::max(limits.context, held);
    }
    limits.tokens = std::max(limits.tokens, tokens);
    limits.sequences = std::max(limits.sequences, std::ssize(parts));
    limits.kv_blocks = std::max(limits.kv_blocks, blocks);
  }
  return limits;
}

}  // namespace servecast
