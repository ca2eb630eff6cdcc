#pragma once
#include <cstdint>
#include <vector>

namespace servecast {

/// Memory of the host that is not zero.
class HostBuffer {
 public:
  /// Throws DeviceError, NoRoom.
  HostBuffer(std::int64_t bytes, bool pinned);
  ~HostBuffer();
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  char* data() const { return static_cast<char*>(data_); }

 private:
  bool pinned_;
  std::vector<char> pages_;
  void* data_ = nullptr;
};

}  // namespace servecast
