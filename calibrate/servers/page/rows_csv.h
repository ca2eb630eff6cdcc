#pragma once
#include <span>
#include <string>

namespace servecast {

struct ComparedFigure;

/// Every row as a CSV, times in seconds. It names single measurements, which are not ours to publish.
std::string rows_csv(std::span<const ComparedFigure> figures);

}  // namespace servecast
