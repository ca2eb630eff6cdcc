#pragma once
#include <iosfwd>
#include <ostream>
#include <string>

#include "calibrate/cli/measuring/serve_beside.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace servecast {

struct Console;
struct MeasureArguments;

/// TTFT and TPOT, measured and forecast.
void print_beside(std::ostream& out, const ServedBeside& both);

/// `measure --serve LLM`: a small server on the GPU over a trace, and beside it the simulator's forecast.
class MeasureServe {
 public:
  void declare(CLI::App& app);
  bool wanted() const { return !run_.llm.empty(); }
  CLI::Option* option() const { return option_; }
  /// Throws DeviceError.
  void run(const MeasureArguments& arguments, const std::string& profile, Console& console) const;

 private:
  ServeRun run_{};
  CLI::Option* option_ = nullptr;
};

}  // namespace servecast
