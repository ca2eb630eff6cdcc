#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace servecast {

/// A text of at most N - 1 characters, in place: it is found in the bytes of a file.
template <std::size_t N>
struct CardText {
  char text[N]{};

  constexpr CardText() = default;
  constexpr CardText(std::string_view from) {  // implicit: a card is a list of texts
    for (std::size_t i = 0; i < from.size() && i + 1 < N; ++i) text[i] = from[i];
  }
  constexpr std::string_view view() const {
    std::size_t length = 0;
    while (length < N && text[length] != '\0') ++length;
    return {text, length};
  }
};

/// What a library of policies was built for. It lies in the library's bytes behind `marker` and is read from the file
/// before the library is loaded: code built for other headers must not run, not even to be asked.
struct PluginCard {
  CardText<32> marker{};
  std::int32_t abi = 0;  // of these members: what follows is read only where it is the program's own
  CardText<28> version{};
  CardText<64> toolchain{};
  CardText<72> headers{};  // SHA-256 of models/: layouts follow from it
};

inline constexpr std::string_view card_marker = "servecast: card of a plug-in";
inline constexpr std::int32_t plugin_abi = 1;

#if defined(__x86_64__)
#define SERVECAST_CARD_MACHINE "x86_64"
#elif defined(__aarch64__)
#define SERVECAST_CARD_MACHINE "aarch64"
#else
#define SERVECAST_CARD_MACHINE "another machine"
#endif
#if defined(_GLIBCXX_DEBUG)
#define SERVECAST_CARD_LIBRARY "libstdc++ in debug mode"
#elif defined(__GLIBCXX__) && _GLIBCXX_USE_CXX11_ABI
#define SERVECAST_CARD_LIBRARY "libstdc++"
#elif defined(__GLIBCXX__)
#define SERVECAST_CARD_LIBRARY "libstdc++ with strings as before C++11"
#else
#define SERVECAST_CARD_LIBRARY "another standard library"
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SERVECAST_CARD_CHECKS ", address sanitizer"
#else
#define SERVECAST_CARD_CHECKS ""
#endif
/// What lets two builds share objects, as far as the preprocessor knows it.
inline constexpr std::string_view card_toolchain =
    SERVECAST_CARD_MACHINE ", " SERVECAST_CARD_LIBRARY SERVECAST_CARD_CHECKS;
#undef SERVECAST_CARD_MACHINE
#undef SERVECAST_CARD_LIBRARY
#undef SERVECAST_CARD_CHECKS

}  // namespace servecast
