#pragma once
#include <string_view>

#include "sim/input/files/line_reader.h"

namespace servecast {

/// Walks through the JSON value on one line without building it: traces are large and their rows flat. Every call
/// takes the next piece and throws UserError at its column where something else stands there.
class JsonScan {
 public:
  explicit JsonScan(const Line& line) : line_(line), at_(line.text.data()), end_(at_ + line.text.size()) {}

  /// Calls `member(key)` for every member; it must take the value.
  template <class F>
  void object(F&& member) {
    expect('{');
    if (take('}')) return;
    do {
      const std::string_view key = string();
      expect(':');
      member(key);
    } while (take(','));
    expect('}');
  }
  /// Calls `item()` for every item; it must take it.
  template <class F>
  void array(F&& item) {
    expect('[');
    if (take(']')) return;
    do item();
    while (take(','));
    expect(']');
  }
  std::string_view string();  // without its quotes; escapes are left as they stand
  std::string_view number();  // its text, for the readers in numbers.h
  std::string_view scalar();  // a string, or the text of a number
  void skip();                // any value
  void end();                 // nothing but blanks may follow

 private:
  void blanks();
  bool take(char c);
  void expect(char c);
  [[noreturn]] void fail(std::string_view wanted) const;

  const Line& line_;
  const char* at_;
  const char* end_;
};

/// Throws UserError where a key of an object was not given.
void require_key(const Line& line, bool given, std::string_view key);

}  // namespace servecast
