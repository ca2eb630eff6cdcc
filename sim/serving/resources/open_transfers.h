#pragma once
#include <array>
#include <cassert>
#include <map>
#include <variant>

#include "sim/serving/resources/transfer_port.h"
#include "sim/serving/sequences/sequence.h"

namespace servecast {

// What transfers of a replica are for:
struct FetchFor {
  Slot slot{};
};
struct AdaptersFor {  // of the batch that the lane has launched last
  std::size_t lane = 0;
};
struct Sent {  // all that a batch was to send over links of one reach in a stage
  std::uint64_t batch = 0;
  std::size_t stage = 0;
  double after_s = 0;  // that the stage takes at least from then on
};
using Purpose = std::variant<FetchFor, ExpertLoad, AdaptersFor, Sent>;

/// What a replica has under way over links that others may use as well.
class OpenTransfers {
 public:
  explicit OpenTransfers(ReplicaId replica) : replica_(replica) {}

  void connect(TransferPort& port) { port_ = &port; }
  /// None: links that nothing else uses.
  TransferPort* port() const { return port_; }
  void start(const ReplicaTransfer& transfer, double at_s, const Purpose& purpose) {
    under_way_.emplace(port_->start(replica_, transfer, at_s), purpose);
  }
  double alone_s(const ReplicaTransfer& transfer) const { return port_->alone_s(replica_, transfer); }
  /// It has arrived.
  Purpose take(Token token) {
    const auto done = under_way_.extract(token);
    assert(!done.empty() && "it has started every transfer that it hears of");
    return done.mapped();
  }

  bool contended(OwnTraffic traffic) const { return contended_[static_cast<std::size_t>(traffic)]; }
  bool any_contended() const { return contended_ != decltype(contended_){}; }
  /// Whether this begins now.
  bool set_contended(OwnTraffic traffic, bool contended) {
    return !std::exchange(contended_[static_cast<std::size_t>(traffic)], contended) && contended;
  }
  /// The same links, with the same others on them.
  void replace(const OpenTransfers& before) {
    port_ = before.port_;
    contended_ = before.contended_;
  }

 private:
  ReplicaId replica_;
  TransferPort* port_ = nullptr;
  std::map<Token, Purpose> under_way_{};
  std::array<bool, all_own_traffic.size()> contended_{};  // by OwnTraffic
};

}  // namespace servecast
