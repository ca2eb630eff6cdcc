#include "sim/input/files/json_scan.h"

#include <fmt/format.h>

#include <algorithm>

namespace servecast {

void JsonScan::blanks() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
}

bool JsonScan::take(char c) {
  blanks();
  if (at_ == end_ || *at_ != c) return false;
  ++at_;
  return true;
}

void JsonScan::expect(char c) {
  if (!take(c)) fail(fmt::format("'{}'", c));
}

void JsonScan::fail(std::string_view wanted) const {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  const std::string found = rest.empty() ? "the end of the line" : fmt::format("'{}'", rest.substr(0, 12));
  line_.fail(rest, fmt::format("is not valid JSON: expected {}, found {}", wanted, found));
}

std::string_view JsonScan::string() {
  expect('"');
  const char* from = at_;
  while (at_ != end_ && *at_ != '"') at_ += (*at_ == '\\' && at_ + 1 != end_) ? 2 : 1;
  if (at_ == end_) fail("'\"'");
  return {from, static_cast<std::size_t>(at_++ - from)};
}

std::string_view JsonScan::number() {
  blanks();
  const char* from = at_;
  at_ = std::find_if(at_, end_, [](char c) { return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\t'; });
  if (at_ == from) fail("a number");
  return {from, static_cast<std::size_t>(at_ - from)};
}

std::string_view JsonScan::scalar() {
  blanks();
  return at_ != end_ && *at_ == '"' ? string() : number();
}

void JsonScan::skip() {
  blanks();
  if (at_ == end_ || (*at_ != '{' && *at_ != '[')) {
    scalar();
    return;
  }
  int depth = 0;
  do {
    if (at_ == end_) fail("'}' or ']'");
    if (*at_ == '"') {
      string();
      continue;
    }
    if (*at_ == '{' || *at_ == '[') ++depth;
    if (*at_ == '}' || *at_ == ']') --depth;
    ++at_;
  } while (depth > 0);
}

void JsonScan::end() {
  blanks();
  if (at_ != end_) fail("the end of the line");
}

void require_key(const Line& line, bool given, std::string_view key) {
  if (!given) line.fail(line.text, fmt::format("the key '{}' is missing", key));
}

}  // namespace servecast
