#pragma once
#include <map>
#include <string>
#include <utility>

#include "models/hw/engine/engine_profile.h"
#include "models/hw/llm/llm.h"
#include "models/hw/machine/fabric.h"
#include "models/hw/machine/gpu.h"
#include "models/hw/machine/node.h"
#include "models/hw/profile/kernel_profile.h"
#include "sim/input/scenario/hardware_changes.h"

namespace servecast {

struct Place;

/// Descriptions of hardware, engines and models, each file read once however often it is asked for: code that sizes
/// thousands of scenarios keeps one of these. Throws UserError as the load functions do; what is wrong is not kept.
class HardwareFiles {
 public:
  const Gpu& gpu(const std::string& name, const Place& where, const std::string& named_in);
  const Node& node(const std::string& name, const Place& where, const std::string& named_in);
  const Fabric& fabric(const std::string& name, const Place& where, const std::string& named_in);
  /// As a scenario has it. Without changes it is the file's own; scenarios with the same changes share one.
  const Gpu& gpu(const std::string& name, const Place& where, const std::string& named_in,
                 const HardwareChanges& changes);
  const Node& node(const std::string& name, const Place& where, const std::string& named_in,
                   const HardwareChanges& changes);
  const Fabric& fabric(const std::string& name, const Place& where, const std::string& named_in,
                       const HardwareChanges& changes);
  const EngineProfile& engine(const std::string& name, const Place& where, const std::string& named_in);
  const KernelProfile& profile(const std::string& name, const Place& where, const std::string& named_in);
  const Llm& llm(const std::string& name, const Place& where, const std::string& named_in);
  /// Of a bundled name; looked for once.
  bool has_profile(const std::string& name);

 private:
  using Name = std::pair<std::string, std::string>;  // and the file that names it: a path counts from there
  template <class File>
  using Changed = std::map<std::pair<const File*, FigureChanges>, File>;  // never walked: its order is that of memory

  std::map<Name, Gpu> gpus_{};
  std::map<Name, Node> nodes_{};
  std::map<Name, Fabric> fabrics_{};
  std::map<Name, EngineProfile> engines_{};
  std::map<Name, KernelProfile> profiles_{};
  std::map<Name, Llm> llms_{};
  std::map<std::string, bool> profile_names_{};
  Changed<Gpu> changed_gpus_{};
  Changed<Node> changed_nodes_{};
  Changed<Fabric> changed_fabrics_{};
};

}  // namespace servecast
