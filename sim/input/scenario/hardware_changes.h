#pragma once
#include <map>
#include <string>
#include <vector>

#include "models/hw/machine/fabric.h"
#include "models/hw/machine/gpu.h"
#include "models/hw/machine/node.h"
#include "sim/input/scenario/figure_changes.h"

namespace servecast {

class HardwareFiles;
struct ScenarioSpec;
struct YamlText;

/// What a scenario states otherwise than the files of its hardware, by their names.
struct HardwareChanges {
  std::map<std::string, ChangesOf<Gpu>> gpus{};
  std::map<std::string, ChangesOf<Node>> nodes{};
  std::map<std::string, ChangesOf<Fabric>> fabrics{};

  void fields(Fields& f) {
    f.named(
        "gpus", gpus,
        "figures of a GPU that are not as its file says, by the file's name; what was measured on it is scaled to "
        "them");
    f.named("nodes", nodes, "figures of a kind of node that are not as its file says, by the file's name");
    f.named("fabrics", fabrics, "figures of a fabric that are not as its file says, by the file's name");
  }
};

/// How times that were measured go over to a GPU whose data sheet was changed, in words.
constexpr const char* scaling_rule =
    "rates of arithmetic by the peak of their data type, of memory by its bandwidth, of collectives and copies by "
    "their link; launch times and what the fit left over stay";

/// The file's hardware with these figures. Kernel constants of a GPU are scaled to its new data sheet.
Gpu changed(Gpu file, const FigureChanges& changes);
Node changed(Node file, const FigureChanges& changes);
Fabric changed(Fabric file, const FigureChanges& changes);

/// Leaves what is wrong with the changes in the text's problems: of hardware that the scenario does not have, or such
/// as no hardware can be. Takes those out that say what the file says, and tells the others, with paths in the
/// scenario.
std::vector<ChangedFigure> settle_hardware_changes(YamlText& text, ScenarioSpec& spec, HardwareFiles& files);

}  // namespace servecast
