#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace servecast {

/// The position with the least key, kept up to date as keys change one by one: a tournament in which every change
/// replays only the matches on its way up, O(log n). Ties go to the lowest position.
template <class Key>
class LeastBy {
 public:
  std::size_t size() const { return keys_.size(); }
  const Key& key(std::size_t i) const { return keys_[i]; }

  /// Starts over with these keys, which must not be empty.
  void assign(std::vector<Key> keys) {
    keys_ = std::move(keys);
    leaves_ = std::bit_ceil(keys_.size());
    winners_.assign(2 * leaves_, 0);
    // Places without a key of their own stand for the last key, against which they change nothing.
    for (std::size_t i = 0; i < leaves_; ++i)
      winners_[leaves_ + i] = static_cast<std::uint32_t>(std::min(i, keys_.size() - 1));
    for (std::size_t match = leaves_ - 1; match >= 1; --match) play(match);
  }

  void set(std::size_t i, Key key) {
    if (keys_[i] == key) return;
    keys_[i] = key;
    // The winner so far is carried along, so that a match waits for nothing but the one before.
    auto winner = static_cast<std::uint32_t>(i);
    for (std::size_t at = leaves_ + i; at > 1; at /= 2) {
      const std::uint32_t other = winners_[at ^ 1];
      const Key other_key = keys_[other];
      const unsigned less = other_key < key, tied = other_key == key, before = other < winner;
      const bool lost = (less | (tied & before)) != 0;
      winner = lost ? other : winner;
      key = lost ? other_key : key;
      if (std::exchange(winners_[at / 2], winner) == winner && winner != i) return;  // i lost as it did before
    }
  }

  std::size_t least() const { return winners_[1]; }

 private:
  void play(std::size_t match) {
    const std::uint32_t left = winners_[2 * match];
    const std::uint32_t right = winners_[2 * match + 1];
    winners_[match] = keys_[right] < keys_[left] ? right : left;
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> winners_;  // [1] is the final, [leaves_ + i] is position i
  std::size_t leaves_ = 0;
};

}  // namespace servecast
