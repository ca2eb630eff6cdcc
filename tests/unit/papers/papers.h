#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/engine/run/run.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/summary/summary.h"

namespace servecast {

/// A scenario of scenarios/papers/, by its name without ".yaml".
inline Scenario paper(const std::string& name, const std::vector<Override>& overrides = {}) {
  return load_scenario(std::string(SERVECAST_SOURCE_DIR) + "/scenarios/papers/" + name + ".yaml", overrides);
}

/// What carries bytes from one replica to another: nothing, and then one test may run several; or SimGrid, once per
/// process (in_child).
enum class Network { none, simgrid };

/// Runs it.
struct PaperRun {
  explicit PaperRun(Scenario scenario, Network network = Network::none, const RunOptions& options = {})
      : recorder(scenario.pools.size()) {
    const auto run_it = network == Network::none ? run_without_engine : run;
    const RunFacts facts = run_it(scenario, recorder, options);
    summary = summarise(recorder, facts);
  }
  Recorder recorder;
  Summary summary{};

  /// Share of prompt tokens that were found in a cache.
  double hit_fraction() const {
    std::int64_t cached = 0;
    std::int64_t all = 0;
    for (const RequestRecord& r : recorder.requests()) {
      cached += r.cached_tokens;
      all += r.prompt_tokens;
    }
    return static_cast<double>(cached) / static_cast<double>(all);
  }
};

/// The section of docs/reproductions.md whose heading begins so has these words: figures as they come out, so that
/// the page tells no others.
inline void expect_in_section(const std::string& name, const std::string& words) {
  std::ifstream page(std::string(SERVECAST_SOURCE_DIR) + "/docs/reproductions.md");
  std::string section;  // its lines joined by blanks
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = (line + " ").starts_with("## " + name + " ");
    if (inside) section += line + " ";
  }
  EXPECT_NE(section, "") << "docs/reproductions.md has no section '" << name << "'";
  EXPECT_NE(section.find(words), std::string::npos) << "the section '" << name << "' should say: " << words;
}

/// A file below traces/ of the measured data; empty where there is none.
inline std::string trace_file(const std::string& name) {
  const char* data = std::getenv("SERVECAST_DATA");
  const std::string file =
      (data ? std::string(data) : std::string(SERVECAST_SOURCE_DIR) + "/../shared/data") + "/traces/" + name;
  return std::filesystem::exists(file) ? file : std::string();
}

}  // namespace servecast
