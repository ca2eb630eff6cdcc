#include "sim/cli/runs/carry_out.h"

#include <filesystem>
#include <optional>

#include "sim/cli/program/console.h"
#include "sim/cli/runs/many_runs.h"
#include "sim/cli/runs/plan_study.h"
#include "sim/plan/report/plan_report.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

/// The file is the old one or the new one, never something between.
void write_whole(const std::string& file, const std::string& text) {
  const std::string partial = file + ".partial";
  write_text(partial, text);
  std::filesystem::rename(partial, file);
}

}  // namespace

int carry_out(const std::string& study, const ManyRunsArguments& arguments, const std::string& format,
              Console& console) {
  const std::optional<ScratchFolder> scratch =
      arguments.out.empty() ? std::make_optional<ScratchFolder>() : std::nullopt;
  int status = 0;
  PlanReport report;
  {
    ManyRuns runs(arguments, 0, console);
    report = plan_study(study, scratch ? scratch->path().string() : arguments.out, runs.evaluator());
    status = runs.finish();
  }
  if (!arguments.out.empty()) {
    write_plan_tables(arguments.file(results_name), report);
    write_whole(arguments.file("plan.json"), to_json(report));
  }
  if (status == 0) refuse_without_answer(report);
  print_plan(report, format, console);
  return status;
}

void print_plan(const PlanReport& report, const std::string& format, Console& console) {
  console.out << (format == "json" ? to_json(report)
                                   : plan_text(report, static_cast<std::size_t>(console.text.width)));
}

}  // namespace servecast
