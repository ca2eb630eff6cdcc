#pragma once
#include <cstddef>
#include <string_view>

namespace servecast {

/// Spreadsheets begin a file with it.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

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

/// Bytes of the character that a text begins with; 0 where it begins with none.
constexpr std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  Utf8Lead lead = utf8_lead(static_cast<unsigned char>(text[0]));
  if (lead.more < 0 || text.size() <= static_cast<std::size_t>(lead.more)) return 0;
  for (std::size_t i = 1; i <= static_cast<std::size_t>(lead.more); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < lead.low || c > lead.high) return 0;
    lead.low = 0x80;
    lead.high = 0xBF;
  }
  return 1 + static_cast<std::size_t>(lead.more);
}

/// Whether a text is UTF-8. Reports are, so what goes into them must be.
constexpr bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = utf8_length(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

}  // namespace servecast
