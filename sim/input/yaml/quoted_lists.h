#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace servecast {

/// Lists of quoted texts, one to a line, taken out of a YAML text: yaml-cpp takes some thousand instructions for each
/// of their characters. In the text "KEY: !aside I" and empty lines stand for the I-th of them, so that places stay.
struct QuotedLists {
  static constexpr std::string_view tag = "!aside";

  std::string rest{};
  std::vector<std::vector<std::string>> lists{};
};

/// Takes the lists below a "KEY:" of which every entry is a text in double quotes without an escape.
QuotedLists take_quoted_lists(std::string_view text);

}  // namespace servecast
