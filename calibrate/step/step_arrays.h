#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "calibrate/step/block_tables.h"
#include "calibrate/step/step_part.h"

namespace servecast {

/// A step's parts as the kernels read them: decodes first, then chunks of prompts, token by token.
struct StepArrays {
  std::vector<std::int32_t> token_rows{};    // of the block table, by token
  std::vector<std::int32_t> positions{};     // in its sequence, by token
  std::vector<std::int32_t> context{};       // tokens in KV, new ones included, by sequence
  std::vector<std::int32_t> prompt_start{};  // where the tokens of each chunk begin behind the decodes; and the end
  std::vector<std::int32_t> emitting{};      // tokens whose sequences emit
  std::vector<std::int32_t> table{};         // [sequence][blocks_per_sequence]
  int blocks_per_sequence = 0;
  int decodes = 0;          // sequences
  int prompts = 0;          // sequences
  int most_new_tokens = 0;  // of a chunk
  int most_context = 0;     // of a decode

  int tokens() const { return static_cast<int>(positions.size()); }
  int sequences() const { return decodes + prompts; }
};

/// Decodes first, otherwise in their order.
std::vector<StepPart> in_kernel_order(std::span<const StepPart> parts);
/// `parts` in kernel order, of sequences that hold their blocks.
StepArrays arrays_of(std::span<const StepPart> parts, const BlockTables& blocks);

}  // namespace servecast
