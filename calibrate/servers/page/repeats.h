#pragma once
#include <span>
#include <string>

#include "calibrate/servers/comparison.h"

namespace servecast {

/// A table of how far runs of one setting lie apart, by regime and figure, beside the forecasts' error and what is
/// asked: rows of one forecast, whose engine versions one engine file stands for, and runs published elsewhere.
/// Nothing where no figure has five such runs.
std::string repeats_table(std::span<const ComparedFigure> figures);

}  // namespace servecast
