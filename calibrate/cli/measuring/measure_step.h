#pragma once
#include <functional>
#include <string>

#include "calibrate/samples/step_samples.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace servecast {

struct Console;
struct MeasureProgress;

/// Options of every kind of measurement.
struct MeasureArguments {
  std::string gpu{};
  double budget_s = 300;
  std::string out{};
};
using ShowProgress = std::function<void(const MeasureProgress&)>;

/// `measure --step LLM`: whole decoder steps instead of single kernels.
class MeasureStep {
 public:
  void declare(CLI::App& app);
  bool wanted() const { return !model_.llm.empty(); }
  CLI::Option* option() const { return option_; }
  /// Throws DeviceError; then what is in the file stays.
  MeasureProgress run(const MeasureArguments& arguments, const ShowProgress& show) const;
  /// What a profile makes of what is in the file, where one was named.
  void compare(const MeasureArguments& arguments, const std::string& profile, Console& console) const;

 private:
  StepModel model_{.layers = 4};
  CLI::Option* option_ = nullptr;
};

}  // namespace servecast
