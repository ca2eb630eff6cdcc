#include "calibrate/servers/read/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/input/library/hardware.h"

namespace servecast {
namespace {

/// Each file is read once: tables of measurements ask for every row.
const std::vector<FittedSystem>& fitted_systems(const std::string& engine) {
  static std::map<std::string, std::vector<FittedSystem>> known;
  const auto found = known.find(engine);
  return found != known.end() ? found->second
                              : known.emplace(engine, load_engine(engine, {}).fitted_on).first->second;
}

}  // namespace

bool is_fitted_on(const std::string& engine, const std::string& gpu, const std::string& llm) {
  return std::ranges::any_of(fitted_systems(engine),
                             [&](const FittedSystem& f) { return gpu == f.gpu && llm == f.llm; });
}

std::string split_text() {
  std::string text = "| engine | GPU | model | what it covers |\n|---|---|---|---|\n";
  for (const std::string& engine : list_engines())
    for (const FittedSystem& f : fitted_systems(engine))
      text += fmt::format("| {} | {} | {} | {} |\n", engine, f.gpu, f.llm, f.covers);
  return text;
}

}  // namespace servecast
