#include "sim/engine/links/egress_tally.h"

#include "sim/engine/links/wiring.h"

namespace servecast {

void EgressTally::connect(const NodeGroups& groups, const Wiring& wiring) {
  for (std::size_t i = 0; i < groups.links().size(); ++i) {
    const GroupLink& link = groups.links()[i];
    if (!groups.joins_sites(link)) continue;
    const auto [back, forth] = wiring.pair(Wiring::trunk_name(i));
    senders_[forth] = link.from;
    senders_[back] = link.to;
  }
  if (!senders_.empty()) bytes_.resize(groups.size());
}

void EgressTally::begins(const Transfer& transfer, double) {
  if (senders_.empty()) return;
  for (const std::size_t link : transfer.path.links)
    if (const auto sender = senders_.find(link); sender != senders_.end()) bytes_[sender->second] += transfer.bytes;
}

}  // namespace servecast
