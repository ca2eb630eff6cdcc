#pragma once
#include <span>
#include <string>

#include "calibrate/servers/comparison.h"

namespace servecast {

/// A table of servers whose load rises in stages: where first tokens begin to wait, measured and by forecast, and how
/// far off they are before that. The knee is the first stage whose mean TTFT is more than three times the least of
/// the server's stages. Nothing where no server has stages that tell their mean TTFT.
std::string knee_table(std::span<const ComparedFigure> figures);

}  // namespace servecast
