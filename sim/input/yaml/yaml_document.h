#pragma once
#include <yaml-cpp/yaml.h>

#include <string>

#include "models/base/error.h"

namespace servecast {

/// Where yaml-cpp has read something, as people count.
Place place_of(const std::string& file, const YAML::Mark& mark);

/// The one document of a YAML (or JSON) text; null where the text holds nothing. All YAML is read here. Throws
/// UserError at its place in `file`: for what is no YAML, for anything behind the document, for an alias inside of
/// what it stands for, and where aliases repeat so much that a walk through the document would not come to an
/// end.
YAML::Node yaml_document(const std::string& text, const std::string& file);

}  // namespace servecast
