#pragma once
#include <span>
#include <string>

#include "calibrate/servers/measured_server.h"

namespace servecast {

struct ComparedFigure;

/// An SVG, measured against forecast on logarithmic axes: a point for each row with a forecast, filled where nothing
/// was fitted on it; the diagonal, and 10 % to either side. Empty where no row is of the figure.
std::string accuracy_picture(ServerFigure figure, std::span<const ComparedFigure> figures);

}  // namespace servecast
