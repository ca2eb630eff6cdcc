#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace servecast {

/// Hands out contiguous runs of blocks whose lengths are powers of two (Knowlton 1965). A run is split in halves
/// until it is as short as asked for, and joined with its other half when both are free again. Lowest address first.
class Buddy {
 public:
  void resize(std::int64_t blocks);

  static std::int64_t rounded(std::int64_t blocks);

  /// Where a run of rounded(blocks) begins; nothing where no free run is long enough.
  std::optional<std::int64_t> take(std::int64_t blocks);
  void give_back(std::int64_t place, std::int64_t blocks);

 private:
  std::vector<std::set<std::int64_t>> free_{};  // by length, as a power of two: where free runs begin
};

}  // namespace servecast
