#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>

#include "calibrate/cli/commands/commands.h"
#include "calibrate/cli/tables/operator_table.h"
#include "calibrate/cli/tables/server_report.h"
#include "models/base/escaped.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/input/library/kernel_profile_file.h"

namespace servecast {
namespace {

class ReportCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PROFILES", profiles_, "Bundled names or YAML files; left out: all that are bundled")
        ->type_name("PROFILE...");
    servers_.declare(app);
    app.footer(
        "Prints Markdown. Errors are |predicted / measured - 1| on shapes that were held out of the fit.\n"
        "Examples:\n  servecast-calibrate report h100_sxm_80g.vllm\n"
        "  servecast-calibrate report --servers measured --held-out --replicates 40 --out accuracy.md");
  }

  int run(Console& console) override {
    if (!servers_.servers.empty()) {
      servers_.run(console);
      return 0;
    }
    for (const std::string& name : profiles_.empty() ? list_profiles() : profiles_) {
      const KernelProfile profile = load_profile(name, {});
      fmt::print(console.out, "## {} ({})\n\n{}", visible(profile.title), visible(profile.name),
                 operator_table_header());
      for (const FittedOperator& fitted : profile.operators) console.out << operator_table_row(fitted);
      console.out << "\n";
    }
    return 0;
  }

 private:
  std::vector<std::string> profiles_;
  ServerReport servers_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace servecast
