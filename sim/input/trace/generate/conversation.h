#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/rng.h"
#include "models/policy/request.h"
#include "sim/input/trace/generate/generator.h"

namespace servecast {

/// One request of a conversation.
struct ConversationTurn {
  double think_s = 0;  // pause before it
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::size_t whole_blocks = 0;  // of its prompt that have a hash
};

/// All that will be said in one session, fixed when it starts: how it goes on then does not depend on how fast it is
/// served. A single request is a conversation of one turn.
struct Conversation {
  std::vector<ConversationTurn> turns{};
  std::size_t given = 0;            // turns given out
  std::vector<BlockHash> blocks{};  // of the longest prompt; every earlier one is its beginning
};

/// The prompts of a SharedPrefixSpec, shuffled once and given out in a cycle.
class FixedPrompts {
 public:
  struct Prompt {
    std::int64_t tokens = 0;
    std::vector<BlockHash> blocks{};  // the whole ones
  };
  /// Takes the hashes from `next_block` on.
  FixedPrompts(const SharedPrefixSpec& spec, std::int64_t block_tokens, const Distribution& question_tokens,
               Rng& length_rng, Rng& shuffle_rng, BlockHash& next_block);

  const Prompt& next() { return prompts_[given_++ % prompts_.size()]; }

 private:
  std::vector<Prompt> prompts_{};
  std::size_t given_ = 0;
};

/// Draws conversations.
class ConversationSource {
 public:
  ConversationSource(const GenerateSpec& spec, std::uint64_t seed, const std::string& stream_suffix,
                     BlockHash block_offset, const std::filesystem::path& base_folder);

  /// Overwrites `talk`, keeping its memory.
  void draw(Conversation& talk);

  /// True where every conversation is one request without hashes of its own.
  bool single() const { return turns_ == nullptr; }
  /// Hashes of the beginning that the prompt drawn last shares with others: its system prompt, or all of a fixed one.
  std::span<const BlockHash> shared_blocks() const { return shared_blocks_; }

 private:
  void draw_fixed(Conversation& talk);
  void draw_turns(Conversation& talk);
  void add_blocks(Conversation& talk);

  std::int64_t block_tokens_;
  std::int64_t system_tokens_ = 0;
  std::int64_t max_session_tokens_ = 0;
  std::unique_ptr<Distribution> prompt_, output_, turns_, think_s_;
  std::optional<WeightedIndex> popularity_;
  Rng prompt_rng_, output_rng_, turns_rng_, think_rng_, system_rng_;
  std::vector<BlockHash> all_system_blocks_;  // of all system prompts, one after the other
  std::span<const BlockHash> shared_blocks_{};
  std::optional<FixedPrompts> fixed_{};
  BlockHash next_block_ = 0;
};

}  // namespace servecast
