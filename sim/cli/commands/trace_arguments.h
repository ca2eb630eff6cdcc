#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "sim/input/trace/workload/workload_spec.h"

namespace CLI {
class App;
}

namespace servecast {

/// A trace file on the command line, and an option for every setting that `workload.trace` of a scenario has.
class TraceArguments {
 public:
  void declare(CLI::App& app);
  const std::string& file() const { return file_; }
  WorkloadNotes& notes() { return notes_; }

  /// Calls use(spec, context) with the trace as it was asked for. Throws UserError at the option that is wrong.
  template <class F>
  void open(F&& use) {
    YamlText text = as_settings();
    const WorkloadSpec spec = read(text);
    use(spec, WorkloadContext{.seed = seed_, .text = &text, .path = "", .notes = &notes_});
  }

 private:
  YamlText as_settings() const;
  static WorkloadSpec read(YamlText& text);

  std::string file_;
  std::uint64_t seed_ = 1;
  std::map<std::string, std::string> given_;  // option -> its value, as a text; empty: not given
  std::map<std::string, std::string> keys_;   // option -> key of the setting
  WorkloadNotes notes_;
};

}  // namespace servecast
