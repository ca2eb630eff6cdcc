#pragma once
#include <string>

namespace servecast {

/// Were terms of this bundled engine fitted on its servers with this GPU and model, in these weights? Its file names
/// them (`fitted_on`, which the fit writes); all other measurements are for the report alone.
bool is_fitted_on(const std::string& engine, const std::string& gpu, const std::string& llm,
                  const std::string& weights);

/// What the files of all bundled engines name, as Markdown.
std::string split_text();

}  // namespace servecast
