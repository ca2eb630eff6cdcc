#include "sim/input/plugins/own_card.h"

#include "servecast_headers.h"
#include "servecast_version.h"

namespace servecast {

PluginCard own_card() {
  return {card_marker, plugin_abi, std::string_view(version), card_toolchain, std::string_view(headers_digest)};
}

}  // namespace servecast
