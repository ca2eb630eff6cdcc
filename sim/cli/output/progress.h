#pragma once
#include <functional>
#include <optional>
#include <ostream>
#include <string>

namespace CLI {
class App;
}

namespace servecast {

struct Console;
struct Progress;
struct RunsProgress;

enum class ProgressStyle { none, bar, json };

/// The option --progress.
struct ProgressArguments {
  std::string word = "auto";

  void declare(CLI::App& app);
  ProgressStyle style(const Console& console) const;
};

/// Seconds on a clock that never goes back.
double monotonic_s();

/// Of something that goes on until its time is spent.
struct BudgetProgress {
  double spent_s = 0;
  double budget_s = 0;
  std::string words;  // what has been done
};

/// Shows how far a run has come, or many runs: a bar that is redrawn in place, or one JSON object per line for a
/// program that watches.
class ProgressView {
 public:
  ProgressView(ProgressStyle style, std::ostream& out, std::function<double()> clock_s = monotonic_s);

  ~ProgressView() { erase(); }  // also where the run was cut short
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

  void show(const Progress& progress) { show_any(progress); }
  void show(const RunsProgress& progress) { show_any(progress); }
  void show(const BudgetProgress& progress) { show_any(progress); }
  /// All is over: the bar goes, the JSON gets its last line, with fraction 1.
  void finish(const Progress& progress) { finish_any(progress); }
  void finish(const RunsProgress& progress) { finish_any(progress); }
  void finish(const BudgetProgress& progress) { finish_any(progress); }

 private:
  template <class AnyProgress>
  void show_any(const AnyProgress& progress);
  template <class AnyProgress>
  void finish_any(const AnyProgress& progress);
  void erase();
  void draw(const std::string& words, std::optional<double> left_s);
  void write(const std::string& line);

  ProgressStyle style_;
  std::ostream& out_;
  std::function<double()> clock_s_;
  double start_s_;
  std::optional<double> shown_s_{};  // when something was last written
  double fraction_ = 0;              // never goes back
};

}  // namespace servecast
