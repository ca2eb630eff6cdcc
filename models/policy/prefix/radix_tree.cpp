#include "models/policy/prefix/radix_tree.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "models/base/counts.h"

namespace servecast {
namespace {

std::span<const BlockHash> blocks_from(const Request& request, std::int64_t token) {
  return request.said().subspan(static_cast<std::size_t>(token / request.block_tokens));
}

}  // namespace

RadixTree::RadixTree(const Eviction& eviction, std::int64_t page_tokens)
    : eviction_(eviction), page_tokens_(page_tokens), lifetime_s_(eviction.lifetime_s()), edges_(1) {}

PrefixName RadixTree::Edge::name_before(std::int64_t block) const {
  PrefixName name = before;
  for (std::int64_t i = first_block(); i < block; ++i)
    name = name.then(blocks[static_cast<std::size_t>(i - first_block())]);
  return name;
}

/// Of what begins with these blocks right below `above`; `before` is the name in front of them. Below the root that
/// says which adapter computes them; further down all have the same one.
BlockHash RadixTree::key(Node above, PrefixName before, std::span<const BlockHash> blocks,
                         std::int64_t block_tokens) const {
  const std::uint64_t adapter = above == root ? before.context : 0;
  if (page_tokens_ <= block_tokens) return blocks.front() + adapter;
  PrefixName name{.context = adapter};
  for (const BlockHash block : blocks.first(static_cast<std::size_t>(page_tokens_ / block_tokens)))
    name = name.then(block);
  return name.value();
}

/// How far, counted from the root, the request goes along this edge, given that it begins like the path above.
std::int64_t RadixTree::agrees_to(const Edge& edge, const Request& request, std::int64_t most_tokens) const {
  const auto differ = std::ranges::mismatch(edge.blocks, blocks_from(request, edge.begin));
  const std::int64_t alike = differ.in1 - edge.blocks.begin();
  const std::int64_t tokens = std::max(edge.begin, (edge.first_block() + alike) * edge.block_tokens);
  const std::int64_t agreed = std::min({tokens, edge.end, most_tokens});
  return agreed - agreed % page_tokens_;
}

RadixTree::Found RadixTree::find_below(Found from, const Request& request, std::int64_t most_tokens,
                                       bool also_gone) const {
  for (Found found = from;;) {
    if (most_tokens - found.tokens < page_tokens_) return found;
    const auto& below = at(found.node).below;
    const auto next = below.find(
        key(found.node, PrefixName::start(request), blocks_from(request, found.tokens), request.block_tokens));
    if (next == below.end() || (!also_gone && gone(at(next->second)))) return found;
    found = {.node = next->second, .tokens = agrees_to(at(next->second), request, most_tokens)};
    if (found.tokens < at(found.node).end) return found;
  }
}

RadixTree::Found RadixTree::find(const Request& request, std::int64_t most_tokens) const {
  const Found found = find_below({}, request, most_tokens, false);
  return keeps_states_ ? up_to_state(found) : found;
}

RadixTree::Found RadixTree::up_to_state(Found found) const {
  while (found.node != root && (found.tokens < at(found.node).end || !at(found.node).state))
    found = {.node = at(found.node).above, .tokens = at(found.node).begin};
  return found;
}

std::int64_t RadixTree::reach(Node from, const Request& request, std::int64_t most_tokens) const {
  return find_below({.node = from, .tokens = at(from).end}, request, most_tokens, false).tokens;
}

std::int64_t RadixTree::idle_tokens(const Found& found) const {
  std::int64_t idle = 0;
  std::int64_t end = found.tokens;
  for (Node node = found.node; node != root && at(node).holders == 0; node = at(node).above) {
    idle += end - at(node).begin;
    end = at(node).begin;
  }
  return idle;
}

RadixTree::Node RadixTree::hold(const Found& found) {
  const Node node = cut(found);
  for (Node up = node; up != root; up = at(up).above) {
    touch(up);
    ++at(up).uses;
  }
  touch_states(node);
  lock(node);
  return node;
}

RadixTree::Node RadixTree::extend(Node from, const Request& request, std::int64_t to_tokens,
                                  std::int64_t& found_tokens) {
  const std::int64_t before = at(from).end;
  const Found found = find_below({.node = from, .tokens = before}, request, to_tokens, true);
  found_tokens = found.tokens;
  Node node = cut(found);
  for (Node up = node; up != from; up = at(up).above) {
    touch(up);
    ++at(up).uses;
  }
  if (found.tokens < to_tokens) {
    const std::int64_t block = request.block_tokens;
    const auto count = static_cast<std::size_t>(divided_up(to_tokens, block) - found.tokens / block);
    const auto blocks = blocks_from(request, found.tokens).first(count);
    node = add({.above = node,
                .begin = found.tokens,
                .end = to_tokens,
                .block_tokens = block,
                .before = node == root ? PrefixName::start(request) : at(node).name_before(found.tokens / block),
                .blocks = {blocks.begin(), blocks.end()},
                .entered = now_ + 1,
                .uses = 1});
    touch(node);
    if (listener_)
      for_units(at(node),
                [&](BlockHash name, std::int64_t tokens) { listener_->computed(request.id, name, tokens); });
  }
  touch_states(node);
  lock(node);
  unlock(from);
  return node;
}

void RadixTree::release(Node node) {
  for (Node up = node; up != root; up = at(up).above) touch(up);
  unlock(node);
}

std::int64_t RadixTree::drop_first() { return drop_leaf(may_leave_.first()); }

std::int64_t RadixTree::drop_leaf(Node node) {
  const std::int64_t before = tokens_;
  for (Node leaf = node;;) {
    const Node above = at(leaf).above;
    drop(leaf);
    leaf = above;
    const Edge& edge = at(leaf);
    if (!keeps_states_ || leaf == root || edge.state || edge.holders > 0 || !edge.below.empty()) break;
  }
  return before - tokens_;
}

// What is whole only together with the part of a block above it goes with this part.
void RadixTree::drop(Node node) {
  Edge& edge = at(node);
  if (edge.state) lose_state(node);
  if (may_leave_.contains(node)) may_leave_.withdraw(node);
  const Node above = edge.above;
  at(above).below.erase(key(edge));
  tokens_ -= edge.tokens();
  if (listener_) for_units(edge, [&](BlockHash name, std::int64_t tokens) { listener_->dropped(name, tokens); });
  edge = {};
  unused_.push_back(node);
  offer(above);
}

void RadixTree::add_state(Node node) {
  assert(node != root && !at(node).state && at(node).users > 0);
  at(node).state = true;
  ++states_;
  touch_states(node);
}

void RadixTree::lose_state(Node node) {
  at(node).state = false;
  --states_;
  if (may_lose_state_.contains(node)) may_lose_state_.withdraw(node);
}

std::int64_t RadixTree::drop_state() {
  const Node node = may_lose_state_.first();
  if (at(node).below.empty()) return drop_leaf(node);
  lose_state(node);
  return 0;
}

RadixTree::Node RadixTree::add(Edge edge) {
  Node node{};
  if (unused_.empty()) {
    node = Node{static_cast<std::uint32_t>(edges_.size())};
    edges_.emplace_back();
  } else {
    node = unused_.back();
    unused_.pop_back();
  }
  if (may_leave_.contains(edge.above)) may_leave_.withdraw(edge.above);
  at(edge.above).below[key(edge)] = node;
  tokens_ += edge.tokens();
  at(node) = std::move(edge);
  return node;
}

/// The edge becomes two; the lower one keeps its number, so its holders still hold it. Returns the upper one.
RadixTree::Node RadixTree::split(Node node, std::int64_t at_tokens) {
  const std::int64_t block = at(node).block_tokens;
  const std::int64_t skipped = at_tokens / block - at(node).first_block();
  const auto ends = divided_up(at_tokens, block) - at(node).first_block();
  Edge upper = at(node);
  upper.end = at_tokens;
  upper.blocks.resize(static_cast<std::size_t>(ends));
  upper.below.clear();
  upper.holders = upper.holders > 0 ? 1 : 0;  // the lower one
  upper.state = false;                        // it stands behind the last token of the lower one
  upper.users = 0;
  tokens_ -= upper.tokens();                  // they are counted already
  const Node above = add(std::move(upper));
  Edge& lower = at(node);
  lower.before = lower.name_before(at_tokens / block);
  lower.begin = at_tokens;
  lower.blocks.erase(lower.blocks.begin(), lower.blocks.begin() + static_cast<std::ptrdiff_t>(skipped));
  lower.above = above;
  at(above).below.emplace(key(lower), node);
  return above;
}

/// The node that ends where `found` does.
RadixTree::Node RadixTree::cut(const Found& found) {
  return found.tokens < at(found.node).end ? split(found.node, found.tokens) : found.node;
}

void RadixTree::touch(Node node) {
  Edge& edge = at(node);
  edge.used = ++now_;
  edge.used_s = clock_s_;
  if (!may_leave_.contains(node)) return;
  may_leave_.withdraw(node);
  offer(node);
}

/// Nodes nearer to the root count as used before those below them, so that their states leave first (SGLang).
void RadixTree::touch_states(Node node) {
  if (!keeps_states_) return;
  std::vector<Node> path;
  for (; node != root; node = at(node).above)
    if (at(node).state) path.push_back(node);
  for (auto it = path.rbegin(); it != path.rend(); ++it) {
    at(*it).state_used = ++now_;
    if (may_lose_state_.contains(*it)) may_lose_state_.withdraw(*it);
    offer_state(*it);
  }
}

void RadixTree::offer_state(Node node) {
  const Edge& edge = at(node);
  if (edge.state && edge.users == 0 && !may_lose_state_.contains(node)) may_lose_state_.offer(node, edge.state_used);
}

void RadixTree::lock(Node node) {
  if (node != root && at(node).users++ == 0 && may_lose_state_.contains(node)) may_lose_state_.withdraw(node);
  for (; node != root && at(node).holders++ == 0; node = at(node).above) {
    held_tokens_ += at(node).tokens();
    if (may_leave_.contains(node)) may_leave_.withdraw(node);
  }
}

void RadixTree::unlock(Node node) {
  if (node != root && --at(node).users == 0) offer_state(node);
  for (; node != root && --at(node).holders == 0; node = at(node).above) {
    held_tokens_ -= at(node).tokens();
    offer(node);
  }
}

void RadixTree::offer(Node node) {
  const Edge& edge = at(node);
  if (node == root || edge.holders > 0 || !edge.below.empty() || may_leave_.contains(node)) return;
  may_leave_.offer(node, eviction_.rank({.now = edge.used, .entered = edge.entered, .uses = edge.uses}));
}

/// Calls `tell` with name and tokens of every unit (PrefixUnits) that ends on this edge.
template <class Tell>
void RadixTree::for_units(const Edge& edge, Tell tell) const {
  const std::int64_t unit_blocks = std::max<std::int64_t>(1, page_tokens_ / edge.block_tokens);
  const std::int64_t end = edge.end / edge.block_tokens;
  PrefixName name = edge.before;
  for (std::int64_t block = edge.first_block(); block < end; ++block) {
    name = name.then(edge.blocks[static_cast<std::size_t>(block - edge.first_block())]);
    if ((block + 1) % unit_blocks == 0) tell(name.value(), unit_blocks * edge.block_tokens);
  }
}

}  // namespace servecast
