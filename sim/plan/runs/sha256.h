#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace servecast {

/// SHA-256 (FIPS 180-4): two texts that differ have digests that differ.
class Sha256 {
 public:
  Sha256& add(std::string_view bytes);
  /// 64 hexadecimal digits; nothing can be added afterwards.
  std::string hex();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> partial_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace servecast
