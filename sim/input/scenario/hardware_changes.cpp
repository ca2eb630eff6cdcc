#include "sim/input/scenario/hardware_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "models/base/names.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/library.h"
#include "sim/input/scenario/hardware_files.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

/// One kind of hardware file: how a scenario calls it, which of them it has, and how they are read.
template <class File>
struct HardwareKind {
  const LibraryFolder& folder;
  std::string key{};             // of the changes
  std::set<std::string> used{};  // names and paths of files
  const File& (HardwareFiles::*read)(const std::string&, const Place&, const std::string&) = nullptr;
};

std::string file_name(const LibraryFolder& folder, const std::string& name_or_path) {
  const bool path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(folder.extension);
  return path ? std::filesystem::path(name_or_path).stem().string() : name_or_path;
}

std::set<std::string> gpus_used(const ScenarioSpec& spec) {
  std::set<std::string> used;
  for (const PoolSpec& pool : spec.pools) {
    used.insert(pool.gpu);
    if (pool.host_layers.layers > 0) used.insert(pool.host_layers.device);
  }
  return used;
}

std::set<std::string> of_groups(const ScenarioSpec& spec, std::string NodeGroupSpec::*name,
                                std::string ClusterSpec::*short_form) {
  std::set<std::string> used;
  if (spec.pools.empty()) return used;
  for (const NodeGroupSpec& group : spec.cluster.groups) used.insert(group.*name);
  if (used.empty()) used.insert(spec.cluster.*short_form);
  return used;
}

/// A unit that the file does not have was not measured either: nothing can be scaled to it.
void check_changed(YamlText& text, const std::string& path, const Gpu& file, const Gpu& changed) {
  constexpr std::array<std::pair<const char*, double Peaks::*>, 5> rates{
      {{"bf16_flop_per_s", &Peaks::bf16_flop_per_s},
       {"fp8_flop_per_s", &Peaks::fp8_flop_per_s},
       {"int8_flop_per_s", &Peaks::int8_flop_per_s},
       {"int4_flop_per_s", &Peaks::int4_flop_per_s},
       {"fp4_flop_per_s", &Peaks::fp4_flop_per_s}}};
  for (const auto& [key, rate] : rates)
    if (file.peaks.*rate == 0 && changed.peaks.*rate > 0)
      text.fail(path + ".peaks." + key,
                fmt::format("'{}' has no such unit, so nothing was measured that could be scaled to one; name a GPU "
                            "that has it, or describe one in a file of its own",
                            file.name));
  if (file.kernels_measured_at != changed.kernels_measured_at)
    text.fail(path + ".kernels_measured_at", "is what was; change the figures of the GPU, and its kernels follow");
  check_power(text, path + ".power", changed.power);
}
void check_changed(YamlText&, const std::string&, const Node&, const Node&) {}
void check_changed(YamlText&, const std::string&, const Fabric&, const Fabric&) {}

template <class File>
class Settling {
 public:
  Settling(YamlText& text, HardwareFiles& files, const HardwareKind<File>& kind)
      : text_(text), files_(files), kind_(kind) {}

  void settle(std::map<std::string, ChangesOf<File>>& changes, std::vector<ChangedFigure>& all) {
    for (auto each = changes.begin(); each != changes.end();) {
      const std::string path = kind_.key + "." + each->first;
      const std::vector<ChangedFigure> changed = changes_of(path, each->first, each->second.figures);
      std::erase_if(each->second.figures, [&](const auto& figure) {
        return std::ranges::find(changed, figure.first, &ChangedFigure::path) == changed.end();
      });
      for (const ChangedFigure& figure : changed) all.push_back({path + "." + figure.path, figure.from, figure.to});
      each = each->second.figures.empty() ? changes.erase(each) : std::next(each);
    }
  }

 private:
  /// Files in different folders may have one name.
  std::vector<ChangedFigure> changes_of(const std::string& path, const std::string& name,
                                        const FigureChanges& figures) {
    std::vector<ChangedFigure> all;
    bool known = false;
    for (const std::string& used : kind_.used) {
      if (file_name(kind_.folder, used) != name) continue;
      known = true;
      const File* file = read(used);
      if (file == nullptr) continue;
      File changed = *file;
      const std::vector<ChangedFigure> figures_of_file = apply(figures, changed);
      all.insert(all.end(), figures_of_file.begin(), figures_of_file.end());
      check_changed(text_, path, *file, changed);
    }
    if (!known) fail_unused(figures.empty() ? path : path + "." + figures.begin()->first, name);
    return all;
  }

  /// What is wrong with the file itself is said where the scenario names it.
  const File* read(const std::string& used) {
    try {
      return &(files_.*kind_.read)(used, {}, text_.file);
    } catch (const UserError&) {
      return nullptr;
    }
  }

  void fail_unused(const std::string& path, const std::string& name) {
    std::set<std::string> names;
    for (const std::string& used : kind_.used) names.insert(file_name(kind_.folder, used));
    const std::vector<std::string> sorted(names.begin(), names.end());
    const std::vector<std::string> bundled = library_names(kind_.folder);
    if (std::ranges::binary_search(bundled, name))
      text_.fail(path, fmt::format("would be ignored: nothing here has {} '{}'. Known: {}", kind_.folder.kind, name,
                                   join(sorted)));
    else
      text_.fail(path, unknown_name(kind_.folder.kind, name, sorted));
  }

  YamlText& text_;
  HardwareFiles& files_;
  const HardwareKind<File>& kind_;
};

template <class File>
File with_figures(File file, const FigureChanges& changes) {
  apply(changes, file);
  return file;
}

}  // namespace

Gpu changed(Gpu file, const FigureChanges& changes) {
  Gpu gpu = with_figures(file, changes);
  if (!same_rates(file, gpu)) gpu.kernels = scale_kernels(file, gpu);
  return gpu;
}

Node changed(Node file, const FigureChanges& changes) { return with_figures(std::move(file), changes); }
Fabric changed(Fabric file, const FigureChanges& changes) { return with_figures(std::move(file), changes); }

std::vector<ChangedFigure> settle_hardware_changes(YamlText& text, ScenarioSpec& spec, HardwareFiles& files) {
  std::vector<ChangedFigure> all;
  const HardwareKind<Gpu> gpus{gpu_folder, "gpus", gpus_used(spec), &HardwareFiles::gpu};
  const HardwareKind<Node> nodes{node_folder, "nodes", of_groups(spec, &NodeGroupSpec::node, &ClusterSpec::node),
                                 &HardwareFiles::node};
  const HardwareKind<Fabric> fabrics{fabric_folder, "fabrics",
                                     of_groups(spec, &NodeGroupSpec::fabric, &ClusterSpec::fabric),
                                     &HardwareFiles::fabric};
  Settling(text, files, gpus).settle(spec.hardware.gpus, all);
  Settling(text, files, nodes).settle(spec.hardware.nodes, all);
  Settling(text, files, fabrics).settle(spec.hardware.fabrics, all);
  return all;
}

}  // namespace servecast
