#include "sim/engine/links/link_meter.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "sim/engine/time/run_options.h"
#include "sim/report/csv/detail_csv.h"
#include "sim/report/record/platform.h"

namespace servecast {
namespace {

constexpr double same_share = 1 + 1e-9;  // links this close to the tightest are filled with it

/// A link that flows under way cross: the rate left for those whose own is not known yet.
struct Crossed {
  double bytes_per_s = 0;
  std::int64_t flows = 0;
  double share() const { return bytes_per_s / static_cast<double>(flows); }
};

}  // namespace

LinkMeter::LinkMeter(const Platform& platform) : platform_(platform) {
  for (const PlatformLink& link : platform.links) bytes_per_s_.push_back(link.bytes_per_s);
}

void LinkMeter::set_speed(std::size_t link, double bytes_per_s, double now_s) {
  advance(now_s);
  bytes_per_s_[link] = bytes_per_s;
  shared_ = false;
}

void LinkMeter::begins(const Transfer& transfer, double now_s) {
  advance(now_s);
  flows_.push_back({.transfer = &transfer, .left_bytes = transfer.bytes});
  shared_ = false;
}

void LinkMeter::ended(const Transfer& transfer, double now_s) {
  const double since_s = now_s_;
  advance(now_s);
  const auto flow = find(transfer);
  carry(*flow, flow->left_bytes, since_s, now_s);
  flows_.erase(flow);
  shared_ = false;
}

void LinkMeter::cancelled(const Transfer& transfer, double now_s) {
  advance(now_s);
  flows_.erase(find(transfer));
  shared_ = false;
}

std::vector<LinkMeter::Flow>::iterator LinkMeter::find(const Transfer& transfer) {
  const auto flow = std::ranges::find(flows_, &transfer, &Flow::transfer);
  assert(flow != flows_.end());
  return flow;
}

void LinkMeter::advance(double now_s) {
  if (now_s <= now_s_) return;
  if (!shared_) share_links();
  for (Flow& flow : flows_)
    carry(flow, std::min(flow.left_bytes, flow.bytes_per_s * (now_s - now_s_)), now_s_, now_s);
  now_s_ = now_s;
}

void LinkMeter::carry(Flow& flow, double bytes, double from_s, double to_s) {
  flow.left_bytes -= bytes;
  const double rate = to_s > from_s ? bytes / (to_s - from_s) : 0;
  double rest = bytes;
  for (auto second = static_cast<std::int64_t>(from_s); rest > 0; ++second) {
    const double next_s = static_cast<double>(second + 1);
    const double here = next_s < to_s ? rate * (next_s - std::max(from_s, next_s - 1)) : rest;
    for (const std::size_t link : flow.transfer->path.links) bytes_[{link, second}] += here;
    rest = next_s < to_s ? rest - here : 0;
  }
}

void LinkMeter::share_links() {
  std::map<std::size_t, Crossed> crossed;
  for (const Flow& flow : flows_)
    for (const std::size_t link : flow.transfer->path.links) {
      Crossed& here = crossed.try_emplace(link, Crossed{.bytes_per_s = bytes_per_s_[link]}).first->second;
      ++here.flows;
    }
  std::vector<Flow*> open;
  for (Flow& flow : flows_) open.push_back(&flow);
  while (!open.empty()) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [link, here] : crossed)
      if (here.flows > 0) least = std::min(least, here.share());
    // Judged before any of them is taken off: what one takes must not make another's links look free.
    const auto filled = std::stable_partition(open.begin(), open.end(), [&](const Flow* flow) {
      return std::ranges::none_of(flow->transfer->path.links,
                                  [&](std::size_t link) { return crossed.at(link).share() <= least * same_share; });
    });
    for (auto flow = filled; flow != open.end(); ++flow) {
      (*flow)->bytes_per_s = least;
      for (const std::size_t link : (*flow)->transfer->path.links) {
        crossed.at(link).bytes_per_s -= least;
        --crossed.at(link).flows;
      }
    }
    open.erase(filled, open.end());
  }
  shared_ = true;
}

void LinkMeter::report(DetailListener& listener) const {
  for (const auto& [key, bytes] : bytes_) {
    const PlatformLink& link = platform_.links[key.first];
    listener.link({.link = link.name,
                   .time_s = static_cast<double>(key.second),
                   .bytes = bytes,
                   .used_fraction = bytes / link.bytes_per_s});
  }
}

}  // namespace servecast
