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
#include <algorithm>
#include <cassert>

#include "models/policy/prefix/prefix_units.h"
#include "models/policy/prefix/radix_tree.h"

namespace servecast {
namespace {

class Radix final : public KvCache {
 public:
  struct Settings : BlockSettings {
    Choice<Eviction> eviction{"lru"};
    double swa_full_tokens_ratio = 0.8;
    Settings() { block_tokens = 1; }
    void fields(Fields& f) {
      BlockSettings::fields(f);
      f.group("eviction", eviction, "which unused branches are evicted first");
      f.field("swa_full_tokens_ratio", swa_full_tokens_ratio,
              "tokens that layers with a sliding window have room for, as a share of the full layers' (SGLang: 0.8)",
              positive_fraction);
    }
  };
  explicit Radix(const Settings& settings)
      : settings_(settings), eviction_(settings.eviction.make()), tree_(*eviction_, settings.block_tokens) {}

  std::optional<std::string> problem() const override { return needs_future(*eviction_); }
  bool drops_outside_window() const override { return true; }
  void resize(std::int64_t capacity_tokens) override {
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

  bool hold(const Request& request, KvHeld& held, std::int64_t tokens, bool admission) override {
    assert(tokens >= held.tokens);
    const RadixTree::Found found = admission ? reusable(request) : RadixTree::Found{};
    const std::int64_t had = admission ? blocks(found.tokens) : held.blocks;
    const std::int64_t more = blocks_for(request, tokens) - had;
    if (free_blocks() - (admission ? watermark_ : 0) < more + blocks(tree_.idle_tokens(found))) return false;
    if (admission) {
      held.place = static_cast<std::int64_t>(index(tree_.hold(found)));
      held.shared = found.tokens;
    }
    take(more);
    held.tokens = tokens;
    held.blocks = blocks_for(request, tokens);
    return true;
  }

  void computed(const Request& request, KvHeld& held, std::int64_t tokens) override {
    const std::int64_t to = shareable(request, tokens);
    if (to <= held.shared) return;
    std::int64_t found = 0;
    held.place = static_cast<std::int64_t>(index(tree_.extend(node(held), request, to, found)));
    empty_ += blocks(found - held.shared);  // another sequence was quicker: use its copy
    held.shared = to;
  }

  void release(const Request&, const KvHeld& held) override {
    take(-(held.blocks - blocks(held.shared)));
    tree_.release(node(held));
  }

 private:
  std::int64_t blocks(std::int64_t tokens) const { return tokens / settings_.block_tokens; }
  static RadixTree::Node node(const KvHeld& held) { return RadixTree::Node{static_cast<std::uint32_t>(held.place)}; }

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

  /// Takes blocks from what is empty, and from leaves of the tree as long as that is too little; below 0: gives back.
  void take(std::int64_t count) {
    while (empty_ < count) empty_ += blocks(tree_.drop_first());
    empty_ -= count;
  }

  Settings settings_;
  std::unique_ptr<Eviction> eviction_;
  RadixTree tree_;
  std::int64_t total_ = 0;
  std::int64_t watermark_ = 0;
  std::int64_t empty_ = 0;  // blocks neither in the tree nor with a sequence
};

[[maybe_unused]] const bool added =
    Registry<KvCache>::add<Radix>("radix", "a tree of tokens: shares all that prompts have in common, to the token");

}  // namespace
}  // namespace servecast
