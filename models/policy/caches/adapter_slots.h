#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/ids.h"

namespace servecast {

/// LoRA adapters on the GPUs of a replica.
struct AdapterSetup {
  std::int64_t slots = 0;  // 0: none are served, and a request that names one gets the model alone
  double gpu_bytes = 0;    // of one, on each GPU
  double load_s = 0;       // of one from the host, while nothing else uses the links
};

/// The adapters in one replica's GPU memory: a fixed number of slots, each with one adapter. One that is used by a
/// running request stays; of the others the one used least recently makes room.
class AdapterSlots {
 public:
  explicit AdapterSlots(std::int64_t slots) : slots_(static_cast<std::size_t>(slots)) {}

  bool holds(AdapterId adapter) const { return find(adapter) != slots_.size(); }
  /// Room for it without throwing out one that is in use.
  bool has_room(AdapterId adapter) const { return holds(adapter) || oldest_unused() != slots_.size(); }
  /// A request with this adapter starts to run; requires has_room(). True: it was here.
  bool take(AdapterId adapter);
  /// One that runs has left.
  void leave(AdapterId adapter);
  /// Different adapters that running requests use.
  std::int64_t in_use() const { return in_use_; }

 private:
  struct Entry {
    AdapterId adapter{};
    std::int64_t users = 0;
    std::int64_t last_used = 0;  // order of use; 0: never, the slot is empty
  };
  std::size_t find(AdapterId adapter) const;
  std::size_t oldest_unused() const;

  std::vector<Entry> slots_;
  std::int64_t in_use_ = 0;
  std::int64_t uses_ = 0;
};

}  // namespace servecast
