#pragma once
#include <string>

#include "calibrate/servers/regimes.h"

namespace servecast {

/// Are the errors that engine files state fitted on this system? Of systems of one regime, engine, GPU generation and
/// kind of model (dense, experts), those that terms are fitted on first, then by GPU and name: the first, third,
/// fifth. One that is alone is not. The rule and the table behind it were written before any residual of these
/// systems was sorted by side.
bool is_in_error_fit(Regime regime, const std::string& system);

/// The table as Markdown.
std::string error_split_text();

}  // namespace servecast
