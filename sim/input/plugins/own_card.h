#pragma once
#include "models/base/plugin_card.h"

namespace servecast {

/// What this program was built for; a plug-in must say the same.
PluginCard own_card();

}  // namespace servecast
