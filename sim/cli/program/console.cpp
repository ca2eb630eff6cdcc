#include "sim/cli/program/console.h"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace servecast {
namespace {

constexpr int narrowest = 60;
constexpr int widest = 120;

int terminal_width(int fallback) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return fallback;
  return std::clamp<int>(size.ws_col, narrowest, widest);
}

/// What the terminal's character set is; a file always gets UTF-8.
bool terminal_has_unicode() {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  if (!locale) return false;
  const bool unicode = std::string_view(::nl_langinfo_l(CODESET, locale)) == "UTF-8";
  ::freelocale(locale);
  return unicode;
}

}  // namespace

Console standard_console() {
  Console console{.out = std::cout, .err = std::cerr, .err_is_terminal = ::isatty(STDERR_FILENO) == 1};
  if (::isatty(STDOUT_FILENO) == 1) {
    console.text.colour = std::getenv("NO_COLOR") == nullptr;
    console.text.unicode = terminal_has_unicode();
    console.text.width = terminal_width(console.text.width);
  }
  return console;
}

}  // namespace servecast
