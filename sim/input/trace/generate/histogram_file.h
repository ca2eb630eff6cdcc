#pragma once
#include <string>

#include "sim/input/trace/generate/distribution.h"

namespace servecast {

/// Reads a CSV file with the columns value,weight. Throws UserError where it is missing, wrong, or weighs nothing.
HistogramSpec read_histogram(const std::string& file);

}  // namespace servecast
