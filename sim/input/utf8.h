#pragma once
#include <string_view>

namespace servecast {

/// Bytes that follow this first one, where the second lies in [low, high] and the others in [0x80, 0xBF].
struct Utf8Lead {
  int more = -1;  // below 0: nothing begins with it
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};
constexpr Utf8Lead utf8_lead(unsigned char c) {  // table 3-7 of the Unicode standard
  if (c < 0x80) return {.more = 0};
  if (c >= 0xC2 && c <= 0xDF) return {.more = 1};
  if (c == 0xE0) return {.more = 2, .low = 0xA0};
  if (c == 0xED) return {.more = 2, .high = 0x9F};
  if (c >= 0xE1 && c <= 0xEF) return {.more = 2};
  if (c == 0xF0) return {.more = 3, .low = 0x90};
  if (c == 0xF4) return {.more = 3, .high = 0x8F};
  if (c >= 0xF1 && c <= 0xF3) return {.more = 3};
  return {};
}

/// Whether a text is UTF-8. Reports are, so what goes into them must be.
constexpr bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    Utf8Lead lead = utf8_lead(static_cast<unsigned char>(text[i++]));
    if (lead.more < 0) return false;
    for (; lead.more > 0; --lead.more, ++i) {
      if (i >= text.size()) return false;
      const auto c = static_cast<unsigned char>(text[i]);
      if (c < lead.low || c > lead.high) return false;
      lead.low = 0x80;
      lead.high = 0xBF;
    }
  }
  return true;
}

}  // namespace servecast
