#pragma once
#include "sim/engine/dispatcher.h"

namespace servecast {

/// What the report needs to know of a finished run beside its records.
RunFacts collect_facts(const Scenario& scenario, const Dispatcher& dispatcher);

}  // namespace servecast
