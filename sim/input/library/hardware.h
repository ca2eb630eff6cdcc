#pragma once
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/hw/engine/engine_profile.h"
#include "models/hw/machine/fabric.h"
#include "models/hw/machine/gpu.h"
#include "models/hw/machine/node.h"

namespace servecast {

struct YamlText;

/// A bundled name, or the path of a YAML file (as seen from the folder of `named_in`, the file that names it). Throws
/// UserError: at `where` for an unknown name, in the file itself for what is wrong there. A GPU comes with its kernel
/// constants, scaled where its file says `kernels_like`.
Gpu load_gpu(const std::string& name_or_path, const Place& where, const std::string& named_in = "");
Node load_node(const std::string& name_or_path, const Place& where, const std::string& named_in = "");
Fabric load_fabric(const std::string& name_or_path, const Place& where, const std::string& named_in = "");
EngineProfile load_engine(const std::string& name_or_path, const Place& where, const std::string& named_in = "");

/// What fields() cannot say of `power`: watts in their order. `path` is where the text has it.
void check_power(YamlText& text, const std::string& path, const PowerDraw& power);

/// Bundled names, sorted.
std::vector<std::string> list_gpus();
std::vector<std::string> list_nodes();
std::vector<std::string> list_fabrics();
std::vector<std::string> list_engines();

}  // namespace servecast
