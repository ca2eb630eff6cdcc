// KV cache "paged_prefix": fixed blocks, and prompts that begin alike share them (vLLM's automatic prefix caching,
// vllm/v1/core/block_pool.py; on by default there).
//
// A full block of a prompt can be used by every later prompt with the same beginning, while its first user runs and
// after it has finished, until its memory is wanted. Which block then leaves first, the eviction says: with lru, as
// in vLLM, free blocks are taken in the order in which they became free, whether or not they hold something, the end
// of a prompt before its beginning. The last token of a prompt is always computed.
//
// Which blocks are alike, the trace says by its hash blocks, so sharing works in units of the larger of hash block
// and cache block, one of which must divide the other (else nothing is shared). Output is shared where the next
// prompt of a session shows what it was; other traces do not hash it. Two sequences that compute the same block at
// the same time end up with one copy; vLLM keeps both until they finish.
//
// Where the engine groups layers with a sliding window apart, their blocks of a prefix leave on their own: a request
// finds as much of a prefix as full layers have of it and windowed ones have of the window before its end (vLLM's
// HybridKVCacheCoordinator.find_longest_cache_hit); of layers that attend within chunks, what lies behind the last
// multiple of the chunk, and nothing where it ends with one (ChunkedLocalAttentionManager). What a running sequence
// holds of windowed groups is its own; what it has passed stays in the queue like any unused block.
#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <vector>

#include "models/policy/caches/eviction_queue.h"
#include "models/policy/kv_cache.h"
#include "models/policy/prefix/prefix_units.h"

namespace servecast {
namespace {

class PagedPrefix final : public KvCache {
 public:
  struct Settings : BlockSettings {
    Choice<Eviction> eviction{"lru"};
    void fields(Fields& f) {
      BlockSettings::fields(f);
      f.group("eviction", eviction, "which unused blocks are evicted first");
    }
  };
  explicit PagedPrefix(const Settings& settings)
      : settings_(settings), eviction_(settings.eviction.make()), lifetime_s_(eviction_->lifetime_s()) {}

  std::optional<std::string> problem() const override { return needs_future(*eviction_); }
  void resize(std::int64_t capacity_tokens) override {
    total_ = settings_.blocks(capacity_tokens * groups().groups);
    watermark_ = settings_.watermark(total_);
    give_back(total_);
  }
  std::int64_t total_blocks() const override { return total_; }
  std::int64_t free_blocks() const override { return free_; }
  std::int64_t admissible_blocks() const override { return total_ - watermark_; }
  std::int64_t blocks_for(const Request& request, std::int64_t tokens) const override {
    return settings_.blocks_for(request, tokens, groups());
  }
  bool drops_outside_window() const override { return true; }
  bool keeps_states() const override { return true; }
  std::int64_t growth_tokens() const override { return settings_.block_tokens; }
  void grow(std::int64_t blocks) override {
    if (blocks > 0) take(blocks);
    if (blocks < 0) give_back(-blocks);
  }
  bool shares_prefixes() const override { return true; }
  void set_listener(PrefixListener& listener) override { listener_ = &listener; }
  bool reads_clock() const override { return lifetime_s_ < std::numeric_limits<double>::infinity(); }
  void set_clock(double now_s) override { clock_s_ = now_s; }

  std::int64_t cached_tokens(const Request& request) const override {
    const PrefixUnits units(request, settings_.block_tokens);
    return hits(units).units * units.tokens();
  }

  bool has_room(const Request& request, const KvHeld& held, std::int64_t tokens, bool admission) const override {
    const PrefixUnits units(request, settings_.block_tokens);
    return blocks_to_take(request, held, tokens, admission, admission ? hits(units) : Hits{}).has_value();
  }

  bool hold(const Request& request, KvHeld& held, std::int64_t tokens, bool admission) override {
    assert(tokens >= held.tokens);
    const PrefixUnits units(request, settings_.block_tokens);
    const Hits found = admission ? hits(units) : Hits{};
    const std::optional<std::int64_t> more = blocks_to_take(request, held, tokens, admission, found);
    if (!more) return false;
    for (std::int64_t i = 0; i < found.units; ++i) {
      const PrefixName unit = name(units, held);
      use(unit, held);
      if (windowed() && i + seen_units(units, found.units) >= found.units) touch(windowed_name(unit));
    }
    grow(*more);
    held.tokens = tokens;
    held.blocks = blocks_for(request, tokens);
    return true;
  }

  void computed(const Request& request, KvHeld& held, std::int64_t tokens) override {
    const PrefixUnits units(request, settings_.block_tokens);
    for (const std::int64_t whole = units.within(tokens); held.shared < whole;) {
      const PrefixName unit = name(units, held);
      const std::int64_t blocks = full_blocks(units);
      // A state stands for all tokens before it, and is as large as hundreds: it is kept where a chunk ends.
      if (windowed() && (!groups().from_the_first || held.shared + 1 == whole)) keep_windowed(unit, units);
      if (numbers_.contains(unit.value())) {  // another sequence was quicker: use its copy
        give_back(blocks);
        use(unit, held);
        continue;
      }
      const CacheEntry number = add({.blocks = static_cast<std::int32_t>(blocks), .name = unit, .entered = ++now_});
      numbers_[unit.value()] = number;
      append(number, held);
      if (listener_) listener_->computed(request.id, unit.value(), units.tokens());
    }
  }

  void release(const Request& request, const KvHeld& held) override {
    const PrefixUnits units(request, settings_.block_tokens);
    give_back(held.blocks - held.shared * full_blocks(units));
    CacheEntry unit{static_cast<std::uint32_t>(held.place)};
    for (std::int64_t i = 0; i < held.shared; ++i) unit = leave(unit);
  }

 private:
  struct Run {  // of blocks that come and go together: a unit that is shared, or room that holds nothing
    std::int32_t blocks = 0;
    std::int32_t users = 0;
    std::uint32_t uses = 0;  // since it was computed; 0: it holds nothing
    CacheEntry before{};     // the unit in front of it, while it has users
    PrefixName name{};
    std::optional<BlockHash> windowed{};  // in place of the name where it is what windowed layers have of a unit
    std::uint64_t entered = 0;
    double left_s = 0;  // when its last user left
  };
  Run& at(CacheEntry number) { return runs_[index(number)]; }

  CacheEntry add(const Run& run) {
    if (unused_.empty()) {
      runs_.push_back(run);
      return static_cast<CacheEntry>(runs_.size() - 1);
    }
    const CacheEntry number = unused_.back();
    unused_.pop_back();
    at(number) = run;
    return number;
  }

  /// Of the next unit that a sequence may share.
  PrefixName name(const PrefixUnits& units, const KvHeld& held) {
    const PrefixName before =
        held.shared == 0 ? units.start() : at(CacheEntry{static_cast<std::uint32_t>(held.place)}).name;
    return units.name(before, held.shared);
  }
  struct Hits {
    std::int64_t units = 0;
    std::int64_t idle = 0;         // of these
    std::int64_t unit_blocks = 0;  // of one
  };
  /// Leading units that are here, of which at least one token is left to compute.
  Hits hits(const PrefixUnits& units) const {
    Hits hits{.unit_blocks = full_blocks(units)};
    Hits all = hits;            // as far as full layers have them
    std::int64_t in_a_row = 0;  // the last of these that windowed layers have, too
    PrefixName name = units.start();
    for (const std::int64_t most = units.reusable(); all.units < most;) {
      name = units.name(name, all.units);
      const Run* run = find(name.value());
      if (!run) return hits;
      all.idle += run->users == 0 ? 1 : 0;
      ++all.units;
      in_a_row = !windowed() || find(windowed_name(name)) ? in_a_row + 1 : 0;
      if (in_a_row >= seen_units(units, all.units)) hits = all;
    }
    return hits;
  }
  /// For so many tokens, of a new sequence behind what is found of its prompt; nothing where they are not free.
  std::optional<std::int64_t> blocks_to_take(const Request& request, const KvHeld& held, std::int64_t tokens,
                                             bool admission, const Hits& found) const {
    const std::int64_t had = admission ? found.units * found.unit_blocks : held.blocks;
    const std::int64_t more = blocks_for(request, tokens) - had;
    // Shared blocks that are unused right now stop being free.
    const std::int64_t free = free_ - (admission ? watermark_ : 0) - found.idle * found.unit_blocks;
    return free < more ? std::nullopt : std::optional(more);
  }
  const Run* find(BlockHash unit) const {
    const auto found = numbers_.find(unit);
    if (found == numbers_.end()) return nullptr;
    const Run& run = runs_[index(found->second)];
    return run.users == 0 && clock_s_ - run.left_s > lifetime_s_ ? nullptr : &run;
  }

  // -- layers with a sliding window
  bool windowed() const { return groups().windowed > 0; }
  std::int64_t full_blocks(const PrefixUnits& units) const {
    return (groups().groups - groups().windowed) * (units.tokens() / settings_.block_tokens);
  }
  /// Of a prefix of so many units, those at its end that the next token sees in windowed layers: one of a state.
  std::int64_t seen_units(const PrefixUnits& units, std::int64_t prefix) const {
    if (!windowed() || groups().from_the_first) return 1;
    if (groups().chunked) return divided_up(prefix * units.tokens() % groups().window_tokens, units.tokens());
    return std::min(prefix, divided_up(std::max<std::int64_t>(groups().window_tokens - 1, 1), units.tokens()));
  }
  /// Of what windowed layers keep of a unit; all full layers keep of it is under the unit's own name.
  static BlockHash windowed_name(PrefixName unit) { return mixed_bits(unit.value() ^ 0x77696e646f776564u); }
  /// A sequence has passed a unit: what windowed layers have of it, no more than the window, is in the queue now, in
  /// place of what leaves first.
  void keep_windowed(PrefixName unit, const PrefixUnits& units) {
    if (numbers_.contains(windowed_name(unit))) return touch(windowed_name(unit));
    const std::int64_t most = groups().windowed_blocks(settings_.block_tokens);
    const std::int64_t room = groups().chunked ? most : most - 1;
    const std::int64_t kept =
        groups().from_the_first ? most : std::min(units.tokens() / settings_.block_tokens, room);
    const std::int64_t blocks = groups().windowed * kept;
    if (blocks == 0 || blocks > free_) return;
    take(blocks);
    free_ += blocks;
    const CacheEntry number = add({.blocks = static_cast<std::int32_t>(blocks),
                                   .uses = 1,
                                   .windowed = windowed_name(unit),
                                   .entered = ++now_,
                                   .left_s = clock_s_});
    numbers_[*at(number).windowed] = number;
    queue_.offer(number, eviction_->rank({.now = ++now_, .entered = at(number).entered, .uses = 1}));
  }
  /// Used again, and left again at once: the sequence keeps its own.
  void touch(BlockHash unit) {
    const auto found = numbers_.find(unit);
    if (found == numbers_.end()) return;
    Run& run = at(found->second);
    run.left_s = clock_s_;
    queue_.withdraw(found->second);
    queue_.offer(found->second, eviction_->rank({.now = ++now_, .entered = run.entered, .uses = ++run.uses}));
  }

  void use(PrefixName unit, KvHeld& held) {
    const CacheEntry number = numbers_.at(unit.value());
    if (at(number).users == 0) {
      free_ -= at(number).blocks;
      queue_.withdraw(number);
    }
    append(number, held);
  }
  /// One unit more that the sequence shares; `place` is the last of them.
  void append(CacheEntry number, KvHeld& held) {
    Run& run = at(number);
    ++run.users;
    ++run.uses;
    run.before = CacheEntry{static_cast<std::uint32_t>(held.place)};
    held.place = static_cast<std::int64_t>(index(number));
    ++held.shared;
  }
  /// Returns the unit in front of it.
  CacheEntry leave(CacheEntry number) {
    Run& run = at(number);
    assert(run.users > 0);
    if (--run.users > 0) return run.before;
    free_ += run.blocks;
    run.left_s = clock_s_;
    queue_.offer(number, eviction_->rank({.now = ++now_, .entered = run.entered, .uses = run.uses}));
    return run.before;
  }
  void give_back(std::int64_t blocks) {
    if (blocks == 0) return;
    free_ += blocks;
    queue_.offer(add({.blocks = static_cast<std::int32_t>(blocks)}), eviction_->rank({.now = ++now_, .uses = 0}));
  }
  /// Takes the free blocks that leave first. A unit of which one block is taken is lost as a whole.
  void take(std::int64_t blocks) {
    assert(blocks <= free_);
    free_ -= blocks;
    while (blocks > 0) {
      const CacheEntry number = queue_.first();
      Run& first = at(number);
      if (first.uses > 0) drop(first);
      const auto taken = static_cast<std::int32_t>(std::min<std::int64_t>(blocks, first.blocks));
      first.blocks -= taken;
      blocks -= taken;
      if (first.blocks > 0) return;
      queue_.withdraw(number);
      unused_.push_back(number);
    }
  }
  void drop(Run& run) {
    const std::int64_t groups_full = groups().groups - groups().windowed;
    if (listener_ && !run.windowed)
      listener_->dropped(run.name.value(), run.blocks / groups_full * settings_.block_tokens);
    numbers_.erase(run.windowed.value_or(run.name.value()));
    run.windowed.reset();
    run.uses = 0;
  }

  Settings settings_;
  std::unique_ptr<Eviction> eviction_;
  double lifetime_s_;
  double clock_s_ = 0;
  PrefixListener* listener_ = nullptr;
  std::int64_t total_ = 0;
  std::int64_t free_ = 0;
  std::int64_t watermark_ = 0;
  std::uint64_t now_ = 0;  // of CacheUse
  std::vector<Run> runs_;
  std::vector<CacheEntry> unused_;  // numbers in runs_
  EvictionQueue queue_;             // unused runs
  std::unordered_map<BlockHash, CacheEntry> numbers_;
};

[[maybe_unused]] const bool added = Registry<KvCache>::add<PagedPrefix>(
    "paged_prefix", "fixed blocks shared by prompts that begin alike, kept until their memory is wanted");

}  // namespace
}  // namespace servecast
