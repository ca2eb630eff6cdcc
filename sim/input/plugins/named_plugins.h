#pragma once
#include <string>

#include "sim/input/yaml/yaml_fields.h"

namespace servecast {

/// Loads the libraries that `plugins` names in this map of the text (empty: its top level), and those of the command
/// line: policies stand in their registries before the settings that name them are read. What is no list of names is
/// left to the reader of settings. Throws UserError.
void load_named_plugins(YamlText& text, const std::string& map = "");

}  // namespace servecast
