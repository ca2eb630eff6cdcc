#include "calibrate/servers/read/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "calibrate/servers/fit_errors.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/library.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

EngineProfile terms_of(const std::string& engine) {
  const ScratchFolder scratch;
  const std::string file = scratch / (engine + ".yaml");
  write_text(file, without_errors(library_file(engine_folder, engine, {}, "")));
  return load_engine(file, {});
}

/// Each file is read once: tables of measurements ask for every row.
const std::vector<FittedSystem>& fitted_systems(const std::string& engine) {
  static std::map<std::string, std::vector<FittedSystem>> known;
  const auto found = known.find(engine);
  return found != known.end() ? found->second : known.emplace(engine, terms_of(engine).fitted_on).first->second;
}

}  // namespace

bool is_fitted_on(const std::string& engine, const std::string& gpu, const std::string& llm,
                  const std::string& weights) {
  return std::ranges::any_of(fitted_systems(engine), [&](const FittedSystem& f) {
    return gpu == f.gpu && llm == f.llm && (f.weights.empty() || f.weights == weights);
  });
}

std::string split_text() {
  std::string text = "| engine | GPU | model | what it covers |\n|---|---|---|---|\n";
  for (const std::string& engine : list_engines())
    for (const FittedSystem& f : fitted_systems(engine))
      text += fmt::format("| {} | {} | {}{}{} | {} |\n", engine, f.gpu, f.llm, f.weights.empty() ? "" : " ",
                          f.weights, f.covers);
  return text;
}

}  // namespace servecast
