#include "sim/input/scenario/hardware_files.h"

#include <algorithm>

#include "sim/input/files/files_read.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/library/library.h"
#include "sim/input/library/llm_config.h"

namespace servecast {
namespace {

template <class Map, class Load>
const auto& once(Map& known, Load load, const std::string& name, const Place& where, const std::string& named_in) {
  const auto key = std::pair(name, named_in);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known.emplace(key, load(name, where, named_in)).first->second;
}

template <class File, class Known>
const File& with_changes(Known& known, const File& file, const std::map<std::string, ChangesOf<File>>& changes) {
  const auto change = changes.find(file.name);
  if (change == changes.end()) return file;
  const std::pair key(&file, change->second.figures);
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, changed(file, key.second)).first->second;
}

}  // namespace

const Gpu& HardwareFiles::gpu(const std::string& name, const Place& where, const std::string& named_in) {
  return once(gpus_, load_gpu, name, where, named_in);
}

const Node& HardwareFiles::node(const std::string& name, const Place& where, const std::string& named_in) {
  return once(nodes_, load_node, name, where, named_in);
}

const Fabric& HardwareFiles::fabric(const std::string& name, const Place& where, const std::string& named_in) {
  return once(fabrics_, load_fabric, name, where, named_in);
}

const Gpu& HardwareFiles::gpu(const std::string& name, const Place& where, const std::string& named_in,
                              const HardwareChanges& changes) {
  return with_changes(changed_gpus_, gpu(name, where, named_in), changes.gpus);
}

const Node& HardwareFiles::node(const std::string& name, const Place& where, const std::string& named_in,
                                const HardwareChanges& changes) {
  return with_changes(changed_nodes_, node(name, where, named_in), changes.nodes);
}

const Fabric& HardwareFiles::fabric(const std::string& name, const Place& where, const std::string& named_in,
                                    const HardwareChanges& changes) {
  return with_changes(changed_fabrics_, fabric(name, where, named_in), changes.fabrics);
}

const EngineProfile& HardwareFiles::engine(const std::string& name, const Place& where, const std::string& named_in) {
  return once(engines_, load_engine, name, where, named_in);
}

const KernelProfile& HardwareFiles::profile(const std::string& name, const Place& where,
                                            const std::string& named_in) {
  return once(profiles_, load_profile, name, where, named_in);
}

const Llm& HardwareFiles::llm(const std::string& name, const Place& where, const std::string& named_in) {
  return once(llms_, load_llm, name, where, named_in);
}

bool HardwareFiles::has_profile(const std::string& name) {
  const auto found = profile_names_.find(name);
  if (found != profile_names_.end()) return found->second;
  FilesRead::note(library_path(profile_folder, name));  // that it is not there matters, too
  return profile_names_.emplace(name, std::ranges::binary_search(list_profiles(), name)).first->second;
}

}  // namespace servecast
