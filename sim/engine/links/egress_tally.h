#pragma once
#include <map>
#include <vector>

#include "sim/engine/links/flows.h"
#include "sim/input/scenario/node_groups.h"

namespace servecast {

class Wiring;

/// Bytes that groups of nodes send over links to other sites, whatever they are: KV that is handed over, sequences
/// that migrate, prefixes that are copied. A site on the way pays for what it sends on. A flow counts whole when its
/// first byte leaves.
class EgressTally final : public FlowListener {
 public:
  void connect(const NodeGroups& groups, const Wiring& wiring);

  void begins(const Transfer& transfer, double now_s) override;
  void ended(const Transfer&, double) override {}
  /// By group; empty where no link joins two sites.
  const std::vector<double>& bytes() const { return bytes_; }

 private:
  std::map<std::size_t, std::size_t> senders_{};  // by link to another site: the group that it leaves
  std::vector<double> bytes_{};
};

}  // namespace servecast
