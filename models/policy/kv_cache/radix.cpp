// KV cache "radix": a tree of token runs that prompts share as far as they are alike, not only in whole blocks
// (SGLang's RadixAttention, Zheng et al. 2024; python/sglang/srt/mem_cache/radix_cache.py).
//
// What a request has computed stays as a branch of the tree; the next one holds the path that it has in common and
// computes the rest. Memory comes from leaves that no sequence holds, each as a whole: with lru the one used longest
// ago. Room that holds nothing is always taken first, which vLLM's queue of free blocks does not do. `block_tokens`
// is SGLang's page size: sharing is in whole pages.
//
// As fine as the trace tells: prompts whose hash blocks differ are taken to differ from the beginning of that block,
// and the last, part-filled block of a prompt is shared where the next turn of its session shows how it goes on. A
// prompt preempted part-way keeps what it has computed in the tree, as SGLang's retracted requests do.
//
// Where layers with a sliding window are kept apart, their pool has `swa_full_tokens_ratio` times the tokens of the
// full layers' (SGLang's SWAKVPool and its default). That pool running out is not modelled: with a window far below
// the context, the full layers' runs out first.
//
// States of linear attention (Qwen3-Next) have a pool of their own, of `mamba_full_memory_ratio` times the memory of
// keys and values, and the tree keeps some of them: at the ends of chunks of prompts and of whole answers. A prefix
// is found up to the deepest node with a state, which is copied before it goes on; states leave by an LRU of their
// own (SGLang's MambaRadixCache, python/sglang/srt/mem_cache/mamba_radix_cache.py). With `extra_buffer` states are
// kept also where a prompt leaves what was there before, as of a common system prompt, and each sequence has two
// more. How many run at a time follows from that: slots for states by 3 or 5 for each sequence (docs of
// --mamba-full-memory-ratio).
#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

#include "models/policy/prefix/prefix_units.h"
#include "models/policy/prefix/radix_tree.h"

namespace servecast {
namespace {

/// SGLang's --mamba-scheduler-strategy.
struct StateStrategy {
  std::string_view name;
  std::int64_t own_slots;           // of a sequence that runs
  std::int64_t slots_per_sequence;  // that the pool has for each that may run
  std::int64_t prompt_step;         // states of prompts stand at multiples of it
  std::int64_t output_step;         // those of answers
};
constexpr std::array strategies{StateStrategy{"no_buffer", 1, 3, 1, 1}, StateStrategy{"extra_buffer", 3, 5, 64, 256}};

class Radix final : public KvCache {
 public:
  struct Settings : BlockSettings {
    Choice<Eviction> eviction{"lru"};
    double swa_full_tokens_ratio = 0.8;
    double mamba_full_memory_ratio = 0.9;
    std::string mamba_scheduler_strategy = "no_buffer";
    Settings() { block_tokens = 1; }
    void fields(Fields& f) {
      BlockSettings::fields(f);
      f.group("eviction", eviction, "which unused branches are evicted first");
      f.field("swa_full_tokens_ratio", swa_full_tokens_ratio,
              "tokens that layers with a sliding window have room for, as a share of the full layers' (SGLang: 0.8)",
              positive_fraction);
      f.field("mamba_full_memory_ratio", mamba_full_memory_ratio,
              "memory for states of linear attention, as a share of that for keys and values (SGLang: 0.9)",
              {.min = 0, .max = 100, .above_min = true});
      f.field(
          "mamba_scheduler_strategy", mamba_scheduler_strategy,
          "where states are kept: no_buffer: behind each chunk of a prompt and each answer; extra_buffer: every 64 "
          "tokens of a prompt at most, every 256 of an answer, and where a prompt leaves what was there before",
          {"no_buffer", "extra_buffer"});
    }
    const StateStrategy& strategy() const {
      return *std::ranges::find(strategies, mamba_scheduler_strategy, &StateStrategy::name);
    }
  };
  explicit Radix(const Settings& settings)
      : settings_(settings),
        eviction_(settings.eviction.make()),
        tree_(*eviction_, settings.block_tokens),
        strategy_(settings.strategy()) {}

  std::optional<std::string> problem() const override { return needs_future(*eviction_); }
  bool drops_outside_window() const override { return true; }
  bool keeps_states() const override { return true; }
  void resize(std::int64_t capacity_tokens) override {
    if (groups().from_the_first) return resize_with_states(capacity_tokens);
    const double windowed = real(groups().windowed);
    const double kept = real(groups().groups) - windowed + settings_.swa_full_tokens_ratio * windowed;
    const double more = windowed > 0 ? real(groups().groups) / kept : 1;
    set_groups({});  // windowed layers have a pool of their own, so a block is of all full layers
    total_ = empty_ = settings_.blocks(static_cast<std::int64_t>(more * real(capacity_tokens)));
    watermark_ = settings_.watermark(total_);
  }
  std::int64_t total_blocks() const override { return total_; }
  std::int64_t free_blocks() const override { return empty_ + blocks(tree_.tokens() - tree_.held_tokens()); }
  std::int64_t admissible_blocks() const override { return total_ - watermark_; }
  std::int64_t blocks_for(const Request& request, std::int64_t tokens) const override {
    return settings_.blocks_for(request, tokens);
  }
  std::int64_t growth_tokens() const override { return settings_.block_tokens; }
  void grow(std::int64_t blocks) override { take(blocks); }
  bool shares_prefixes() const override { return true; }
  void set_listener(PrefixListener& listener) override { tree_.set_listener(listener); }
  bool reads_clock() const override { return eviction_->lifetime_s() < std::numeric_limits<double>::infinity(); }
  void set_clock(double now_s) override { tree_.set_clock(now_s); }

  std::int64_t cached_tokens(const Request& request) const override { return reusable(request).tokens; }

  bool has_room(const Request& request, const KvHeld& held, std::int64_t tokens, bool admission) const override {
    const RadixTree::Found found = admission ? reusable(request) : RadixTree::Found{};
    return blocks_to_take(request, held, tokens, admission, found).has_value();
  }

  bool hold(const Request& request, KvHeld& held, std::int64_t tokens, bool admission) override {
    assert(tokens >= held.tokens);
    const RadixTree::Found found = admission ? reusable(request) : RadixTree::Found{};
    const std::optional<std::int64_t> more = blocks_to_take(request, held, tokens, admission, found);
    if (!more) return false;
    if (admission) {
      running_ += request.width();
      held.place = static_cast<std::int64_t>(index(tree_.hold(found)));
      held.shared = found.tokens;
    }
    take(*more);
    held.tokens = tokens;
    held.blocks = blocks_for(request, tokens);
    return true;
  }

  void computed(const Request& request, KvHeld& held, std::int64_t tokens) override {
    const std::int64_t known = shareable(request, tokens);
    if (slots_ == 0) return extend(request, held, known);
    const std::int64_t state = state_tokens(request, tokens);
    const std::int64_t branch = branch_tokens(request, held, known);
    if (branch < state) extend_to_state(request, held, branch, false);
    if (state <= known)
      extend_to_state(request, held, state, tokens > request.prompt_tokens);
    else
      extend(request, held, known);
  }

  void release(const Request& request, const KvHeld& held) override {
    running_ -= request.width();
    take(-(held.blocks - blocks(held.shared)));
    tree_.release(node(held));
  }

 private:
  std::int64_t blocks(std::int64_t tokens) const { return tokens / settings_.block_tokens; }
  static RadixTree::Node node(const KvHeld& held) { return RadixTree::Node{static_cast<std::uint32_t>(held.place)}; }

  /// For so many tokens, of a new sequence behind what is found of its prompt; nothing where they are not free.
  std::optional<std::int64_t> blocks_to_take(const Request& request, const KvHeld& held, std::int64_t tokens,
                                             bool admission, const RadixTree::Found& found) const {
    if (admission && !has_states_for(request)) return std::nullopt;
    const std::int64_t more = blocks_for(request, tokens) - (admission ? blocks(found.tokens) : held.blocks);
    const std::int64_t free = free_blocks() - (admission ? watermark_ : 0);
    return free < more + blocks(tree_.idle_tokens(found)) ? std::nullopt : std::optional(more);
  }

  /// Whole pages among the first `tokens` tokens that are known by hashes. None where neither pages divide hash
  /// blocks nor hash blocks pages.
  std::int64_t shareable(const Request& request, std::int64_t tokens) const {
    if (PrefixUnits(request, settings_.block_tokens).tokens() == 0) return 0;
    const std::int64_t hashed = static_cast<std::int64_t>(request.said().size()) * request.block_tokens;
    const std::int64_t known = std::min(hashed, tokens);
    return known - known % settings_.block_tokens;
  }
  /// At least the prompt's last token is always computed.
  RadixTree::Found reusable(const Request& request) const {
    return tree_.find(request, shareable(request, request.prompt_tokens - 1));
  }

  void extend(const Request& request, KvHeld& held, std::int64_t to) {
    if (to <= held.shared) return;
    std::int64_t found = 0;
    held.place = static_cast<std::int64_t>(index(tree_.extend(node(held), request, to, found)));
    empty_ += blocks(found - held.shared);  // another sequence was quicker: use its copy
    held.shared = to;
  }

  // -- states
  void resize_with_states(std::int64_t capacity_tokens) {
    const KvGroups all = groups();
    const double tokens = real(capacity_tokens * all.groups);  // of one group
    const double for_kv = tokens / (1 + settings_.mamba_full_memory_ratio);
    slots_ = static_cast<std::int64_t>((tokens - for_kv) / real(all.windowed * all.window_tokens));
    set_groups({});
    total_ = empty_ = settings_.blocks(static_cast<std::int64_t>(for_kv / real(all.groups - all.windowed)));
    watermark_ = settings_.watermark(total_);
    tree_.keep_states();
  }
  /// A lone one always runs.
  bool has_states_for(const Request& request) const {
    return slots_ == 0 || running_ == 0 || (running_ + request.width()) * strategy_.slots_per_sequence <= slots_;
  }
  std::int64_t empty_slots() const { return slots_ - running_ * strategy_.own_slots - tree_.states(); }
  /// The last of `tokens` tokens behind which a state was put aside.
  std::int64_t state_tokens(const Request& request, std::int64_t tokens) const {
    const std::int64_t prompt = std::min(tokens, request.prompt_tokens);
    const std::int64_t of_prompt = in_steps(prompt, strategy_.prompt_step);
    return tokens > prompt ? std::max(of_prompt, in_steps(tokens, strategy_.output_step)) : of_prompt;
  }
  /// Where it leaves what was in the tree before; 0 where no state is kept there.
  std::int64_t branch_tokens(const Request& request, const KvHeld& held, std::int64_t known) const {
    if (strategy_.prompt_step == 1) return 0;
    return in_steps(tree_.reach(node(held), request, known), strategy_.prompt_step);
  }
  /// Whole pages, too.
  std::int64_t in_steps(std::int64_t tokens, std::int64_t step) const {
    const std::int64_t pages = divided_up(step, settings_.block_tokens) * settings_.block_tokens;
    return tokens - tokens % pages;
  }
  /// `last`: the sequence makes no more tokens, and leaves its own state to the tree.
  void extend_to_state(const Request& request, KvHeld& held, std::int64_t to, bool last) {
    if (to < held.shared || to == 0) return;
    const std::int64_t wanted = last ? 1 - strategy_.own_slots : 1;
    while (empty_slots() < wanted && tree_.may_drop_state()) empty_ += blocks(tree_.drop_state());
    extend(request, held, to);
    if (!tree_.has_state(node(held)) && empty_slots() >= wanted) tree_.add_state(node(held));
  }

  /// Takes blocks from what is empty, and from leaves of the tree as long as that is too little; below 0: gives back.
  void take(std::int64_t count) {
    while (empty_ < count) empty_ += blocks(tree_.drop_first());
    empty_ -= count;
  }

  Settings settings_;
  std::unique_ptr<Eviction> eviction_;
  RadixTree tree_;
  const StateStrategy& strategy_;
  std::int64_t slots_ = 0;    // for states; 0: the model has none
  std::int64_t running_ = 0;  // sequences
  std::int64_t total_ = 0;
  std::int64_t watermark_ = 0;
  std::int64_t empty_ = 0;  // blocks neither in the tree nor with a sequence
};

[[maybe_unused]] const bool added =
    Registry<KvCache>::add<Radix>("radix", "a tree of tokens: shares all that prompts have in common, to the token");

}  // namespace
}  // namespace servecast
