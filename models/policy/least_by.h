#pragma once
#include <bit>
#include <cstdint>
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
    for (std::size_t i = 0; i < leaves_; ++i) winners_[leaves_ + i] = static_cast<std::uint32_t>(i);
    for (std::size_t match = leaves_ - 1; match >= 1; --match) play(match);
  }

  void set(std::size_t i, Key key) {
    keys_[i] = std::move(key);
    for (std::size_t match = (leaves_ + i) / 2; match >= 1; match /= 2) {
      const std::uint32_t before = winners_[match];
      play(match);
      if (winners_[match] == before && before != i) return;  // i lost as it did before: nothing changes further up
    }
  }

  std::size_t least() const { return winners_[1] % leaves_; }

 private:
  void play(std::size_t match) {
    const std::uint32_t left = winners_[2 * match];
    const std::uint32_t right = winners_[2 * match + 1];
    winners_[match] = right < keys_.size() && keys_[right] < keys_[left] ? right : left;
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> winners_;  // [1] is the final, [leaves_ + i] is position i
  std::size_t leaves_ = 0;
};

}  // namespace servecast
