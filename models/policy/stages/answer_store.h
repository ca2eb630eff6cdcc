#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "models/policy/eviction.h"

namespace servecast {

/// An answer that a semantic cache holds.
struct StoredAnswer {
  std::int64_t intent = 0;  // what was asked; paraphrases share it
  std::int64_t output_tokens = 0;
  double stored_s = 0;
  std::optional<double> score{};
};

/// The answers of a semantic cache, each under what was asked. Which one leaves when it is full, an Eviction says.
class AnswerStore {
 public:
  AnswerStore(std::size_t capacity, std::optional<double> ttl_s, std::unique_ptr<Eviction> eviction);

  /// Drops what is too old by now.
  void expire(double now_s);
  void put(const StoredAnswer& answer);
  /// The n-th answer to this, or to anything else.
  std::int64_t size() const { return static_cast<std::int64_t>(held_.size()); }
  std::int64_t count(std::int64_t intent) const;
  const StoredAnswer& of_intent(std::int64_t intent, std::int64_t n);
  const StoredAnswer& other_than(std::int64_t intent, std::int64_t n);
  std::int64_t evicted() const { return evicted_; }
  std::int64_t expired() const { return expired_; }

 private:
  struct Seat {
    StoredAnswer answer{};
    CacheUse use{};
    std::uint64_t rank = 0;
    std::size_t place = 0;      // in held_
    std::size_t at_intent = 0;  // in its list of by_intent_
  };
  void remove(std::uint32_t seat);
  const StoredAnswer& used(std::uint32_t seat);
  std::uint64_t rank_of(const Seat& seat) const { return eviction_->rank(seat.use); }

  std::size_t capacity_;
  std::optional<double> ttl_s_;
  std::unique_ptr<Eviction> eviction_;
  std::vector<Seat> seats_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> held_;                               // in no particular order, but a repeatable one
  std::map<std::int64_t, std::vector<std::uint32_t>> by_intent_;  // likewise
  std::set<std::pair<std::uint64_t, std::uint32_t>> leaving_;     // by rank
  std::set<std::pair<double, std::uint32_t>> ageing_;             // by when they were stored
  std::uint64_t now_ = 0;
  std::int64_t evicted_ = 0;
  std::int64_t expired_ = 0;
};

}  // namespace servecast
