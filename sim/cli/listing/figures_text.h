#pragma once
#include <string>

namespace servecast {

// The keys of summary.json (sim/report/figures/figures.h), written three ways.

std::string figures_json();
/// docs/figures.md.
std::string figures_markdown();
std::string figures_plain();

}  // namespace servecast
