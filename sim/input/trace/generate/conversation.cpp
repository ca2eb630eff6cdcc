#include "sim/input/trace/generate/conversation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/input/files/numbers.h"

namespace servecast {
namespace {

std::int64_t draw_count(const Distribution& distribution, Rng& rng) {
  const double value = std::clamp(distribution.draw(rng), 1.0, static_cast<double>(max_request_tokens));
  return std::llround(value);
}

}  // namespace

FixedPrompts::FixedPrompts(const SharedPrefixSpec& spec, std::int64_t block_tokens,
                           const Distribution& question_tokens, Rng& length_rng, Rng& shuffle_rng,
                           BlockHash& next_block) {
  const auto system_blocks = static_cast<std::size_t>(spec.system_tokens / block_tokens);
  for (std::int64_t group = 0; group < spec.groups; ++group) {
    const BlockHash system = next_block;
    next_block += system_blocks;
    for (std::int64_t i = 0; i < spec.prompts_per_group; ++i) {
      Prompt prompt{.tokens = spec.system_tokens + draw_count(question_tokens, length_rng)};
      prompt.blocks.resize(static_cast<std::size_t>(prompt.tokens / block_tokens));
      const auto own = std::span(prompt.blocks).subspan(system_blocks);
      std::iota(prompt.blocks.begin(), prompt.blocks.end(), system);
      std::iota(own.begin(), own.end(), next_block);
      next_block += own.size();
      prompts_.push_back(std::move(prompt));
    }
  }
  for (std::size_t i = prompts_.size(); i > 1; --i) std::swap(prompts_[i - 1], prompts_[shuffle_rng.below(i)]);
}

ConversationSource::ConversationSource(const GenerateSpec& spec, std::uint64_t seed, const std::string& stream_suffix,
                                       BlockHash block_offset, const std::filesystem::path& base_folder)
    : block_tokens_(spec.block_tokens),
      prompt_(make_distribution(spec.prompt_tokens, base_folder)),
      output_(make_distribution(spec.output_tokens, base_folder)),
      prompt_rng_(seed, "prompt_tokens" + stream_suffix),
      output_rng_(seed, "output_tokens" + stream_suffix),
      turns_rng_(seed, "turns" + stream_suffix),
      think_rng_(seed, "think_s" + stream_suffix),
      system_rng_(seed, "system_prompts" + stream_suffix),
      next_block_(block_offset) {
  if (spec.sessions) {
    turns_ = make_distribution(spec.sessions->turns, base_folder);
    if (spec.sessions->think_s) think_s_ = make_distribution(*spec.sessions->think_s, base_folder);
    max_session_tokens_ = spec.sessions->max_session_tokens.value_or(max_request_tokens);
  }
  if (spec.system_prompts) {
    system_tokens_ = spec.system_prompts->tokens;
    popularity_.emplace(zipf_weights(1, spec.system_prompts->count, spec.system_prompts->zipf_exponent));
    all_system_blocks_.resize(
        static_cast<std::size_t>(spec.system_prompts->count * (system_tokens_ / block_tokens_)));
    std::iota(all_system_blocks_.begin(), all_system_blocks_.end(), next_block_);
    next_block_ += all_system_blocks_.size();
  }
  if (spec.shared_prefix)
    fixed_.emplace(*spec.shared_prefix, block_tokens_, *prompt_, prompt_rng_, system_rng_, next_block_);
}

void ConversationSource::draw(Conversation& talk) {
  if (popularity_) {
    const auto blocks = static_cast<std::size_t>(system_tokens_ / block_tokens_);
    shared_blocks_ = std::span(all_system_blocks_).subspan(popularity_->draw(system_rng_) * blocks, blocks);
  }
  talk.turns.clear();
  talk.blocks.clear();
  talk.given = 0;
  fixed_ ? draw_fixed(talk) : draw_turns(talk);
  if (!single()) add_blocks(talk);
}

void ConversationSource::draw_fixed(Conversation& talk) {
  const FixedPrompts::Prompt& prompt = fixed_->next();
  shared_blocks_ = prompt.blocks;
  talk.turns.push_back({.prompt_tokens = prompt.tokens,
                        .output_tokens = draw_count(*output_, output_rng_),
                        .whole_blocks = prompt.blocks.size()});
}

void ConversationSource::draw_turns(Conversation& talk) {
  const std::int64_t turns = single() ? 1 : draw_count(*turns_, turns_rng_);
  std::int64_t said_tokens = system_tokens_;
  for (std::int64_t i = 0; i < turns; ++i) {
    ConversationTurn turn;
    turn.prompt_tokens = said_tokens + draw_count(*prompt_, prompt_rng_);
    turn.output_tokens = draw_count(*output_, output_rng_);
    if (i > 0 && think_s_) turn.think_s = think_s_->draw(think_rng_);
    said_tokens = turn.prompt_tokens + turn.output_tokens;
    if (i > 0 && said_tokens > max_session_tokens_) return;
    turn.whole_blocks =
        single() ? shared_blocks_.size() : static_cast<std::size_t>(turn.prompt_tokens / block_tokens_);
    talk.turns.push_back(turn);
  }
}

/// The system prompt's blocks, then new ones that no other conversation has.
void ConversationSource::add_blocks(Conversation& talk) {
  talk.blocks.assign(shared_blocks_.begin(), shared_blocks_.end());
  const std::size_t shared = talk.blocks.size();
  talk.blocks.resize(std::max(shared, talk.turns.back().whole_blocks));
  const auto own = std::span(talk.blocks).subspan(shared);
  std::iota(own.begin(), own.end(), next_block_);
  next_block_ += own.size();
}

}  // namespace servecast
