#pragma once
#include <string>

namespace servecast {

/// May terms of this engine be fitted on its servers with this GPU and model? The table behind it was written before
/// any of its fits, and docs/accuracy.md shows it; all other measurements are for the report alone.
bool is_fitted_on(const std::string& engine, const std::string& gpu, const std::string& llm);

/// The table as Markdown.
std::string split_text();

}  // namespace servecast
