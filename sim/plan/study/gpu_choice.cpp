#include "sim/plan/study/gpu_choice.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "models/base/error.h"
#include "models/base/names.h"
#include "sim/input/library/hardware.h"

namespace servecast {
namespace {

constexpr const char* any_node = "pcie_server";  // carries whatever fits into a slot

std::optional<std::string> node_sold_with(const std::string& gpu) {
  for (const std::string& node : list_nodes())
    if (load_node(node, {}).gpu == gpu) return node;
  return std::nullopt;
}

std::string full_name(const std::string& name) {
  const std::vector<std::string> known = list_gpus();
  if (std::ranges::find(known, name) != known.end()) return name;
  std::vector<std::string> alike;
  for (const std::string& gpu : known)
    if (gpu.starts_with(name + "_")) alike.push_back(gpu);
  if (alike.size() == 1) return alike.front();
  const auto sold =
      std::ranges::find_if(alike, [](const std::string& gpu) { return node_sold_with(gpu).has_value(); });
  if (sold != alike.end()) return *sold;
  throw UserError(unknown_name("GPU", name, alike.empty() ? known : alike));
}

}  // namespace

GpuChoice gpu_choice(const std::string& name) {
  GpuChoice choice{.name = name, .gpu = full_name(name)};
  choice.node = node_sold_with(choice.gpu).value_or(any_node);
  choice.gpus_per_node = load_node(choice.node, {}).gpus;
  return choice;
}

}  // namespace servecast
