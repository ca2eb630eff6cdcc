#include "models/policy/stages/answer_store.h"

#include <algorithm>

namespace servecast {

AnswerStore::AnswerStore(std::size_t capacity, std::optional<double> ttl_s, std::unique_ptr<Eviction> eviction)
    : capacity_(capacity), ttl_s_(ttl_s), eviction_(std::move(eviction)) {}

void AnswerStore::expire(double now_s) {
  while (ttl_s_ && !ageing_.empty() && ageing_.begin()->first + *ttl_s_ <= now_s) {
    remove(ageing_.begin()->second);
    ++expired_;
  }
}

void AnswerStore::put(const StoredAnswer& answer) {
  if (held_.size() == capacity_) {
    remove(leaving_.begin()->second);
    ++evicted_;
  }
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(seats_.size()));
    seats_.emplace_back();
  }
  const std::uint32_t i = free_.back();
  free_.pop_back();
  auto& siblings = by_intent_[answer.intent];
  ++now_;
  Seat seat{
      .answer = answer, .use = {.now = now_, .entered = now_}, .place = held_.size(), .at_intent = siblings.size()};
  seat.rank = rank_of(seat);
  seats_[i] = seat;
  held_.push_back(i);
  siblings.push_back(i);
  leaving_.emplace(seat.rank, i);
  ageing_.emplace(answer.stored_s, i);
}

// The last one of each list takes the place of the one that leaves.
void AnswerStore::remove(std::uint32_t i) {
  const Seat& seat = seats_[i];
  leaving_.erase({seat.rank, i});
  ageing_.erase({seat.answer.stored_s, i});
  held_[seat.place] = held_.back();
  seats_[held_.back()].place = seat.place;
  held_.pop_back();
  const auto siblings = by_intent_.find(seat.answer.intent);
  siblings->second[seat.at_intent] = siblings->second.back();
  seats_[siblings->second.back()].at_intent = seat.at_intent;
  siblings->second.pop_back();
  if (siblings->second.empty()) by_intent_.erase(siblings);
  free_.push_back(i);
}

std::int64_t AnswerStore::count(std::int64_t intent) const {
  const auto found = by_intent_.find(intent);
  return found == by_intent_.end() ? 0 : static_cast<std::int64_t>(found->second.size());
}

const StoredAnswer& AnswerStore::of_intent(std::int64_t intent, std::int64_t n) {
  return used(by_intent_.at(intent)[static_cast<std::size_t>(n)]);
}

// Walks on from the n-th until one is about something else: there is one, or the caller does not ask.
const StoredAnswer& AnswerStore::other_than(std::int64_t intent, std::int64_t n) {
  auto at = static_cast<std::size_t>(n) % held_.size();
  while (seats_[held_[at]].answer.intent == intent) at = (at + 1) % held_.size();
  return used(held_[at]);
}

const StoredAnswer& AnswerStore::used(std::uint32_t i) {
  Seat& seat = seats_[i];
  leaving_.erase({seat.rank, i});
  seat.use.now = ++now_;
  ++seat.use.uses;
  seat.rank = rank_of(seat);
  leaving_.emplace(seat.rank, i);
  return seat.answer;
}

}  // namespace servecast
