#pragma once
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/hw/llm/llm.h"

namespace servecast {

/// A bundled model, or the path of a HuggingFace config.json (or of the folder that holds one), as seen from
/// the folder of `named_in`, the file that names it. Keys that a size or a
/// speed does not follow from are ignored; a missing key takes HuggingFace's own default where that has one. Throws
/// UserError: at `where` for an unknown name, in the file itself for what is wrong there.
Llm load_llm(const std::string& name_or_path, const Place& where, const std::string& named_in = "");

/// Bundled names, sorted.
std::vector<std::string> list_llms();

/// Values of `model_type` that load_llm understands, sorted.
std::vector<std::string> llm_families();

}  // namespace servecast
