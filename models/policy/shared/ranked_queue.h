#pragma once
#include <set>
#include <tuple>
#include <unordered_map>

#include "models/policy/queue.h"

namespace servecast {

/// A queue in which every request has a rank for as long as it waits: the lowest first, among equals the preempted
/// first, then by arrival.
class RankedQueue : public WaitingQueue {
 public:
  std::size_t size() const final { return order_.size(); }
  Ticket front() const final { return order_.begin()->ticket; }
  void push(Ticket ticket, const Request& request) final { insert(ticket, request, ++last_); }
  void push_front(Ticket ticket, const Request& request) final { insert(ticket, request, --first_); }
  void erase(Ticket ticket, const Request&) final {
    const auto found = keys_.find(ticket);
    order_.erase(found->second);
    keys_.erase(found);
  }

 protected:
  virtual double rank(const Request& request) const = 0;

 private:
  struct Key {
    double rank = 0;
    std::int64_t turn = 0;
    Ticket ticket{};
    bool operator<(const Key& other) const { return std::tie(rank, turn) < std::tie(other.rank, other.turn); }
  };
  void insert(Ticket ticket, const Request& request, std::int64_t turn) {
    const Key key{.rank = rank(request), .turn = turn, .ticket = ticket};
    order_.insert(key);
    keys_[ticket] = key;
  }

  std::set<Key> order_;
  std::unordered_map<Ticket, Key> keys_;  // looked up, never walked through
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

}  // namespace servecast
