// What this library of policies was built for: the program reads it from the file before it loads the library.
#include "models/base/plugin_card.h"

#include "servecast_headers.h"
#include "servecast_version.h"

namespace servecast {

// Found by its marker, so nothing refers to it.
extern const PluginCard plugin_card;
[[gnu::used]] constexpr PluginCard plugin_card{card_marker, plugin_abi, std::string_view(version), card_toolchain,
                                               std::string_view(headers_digest)};

}  // namespace servecast
