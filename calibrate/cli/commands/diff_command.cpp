#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "calibrate/cli/commands/commands.h"
#include "calibrate/cli/tables/operator_table.h"
#include "models/base/escaped.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/input/library/kernel_profile_file.h"

namespace servecast {
namespace {

/// How the constants of the law moved, in percent: launch, arithmetic, bytes.
std::string constants(const KernelLaw& a, const KernelLaw& b) {
  const auto change = [](double from, double to) {
    return from > 0 && to > 0 ? fmt::format("{:+.1f}", 100 * (to / from - 1)) : std::string("–");
  };
  return fmt::format("{} | {} | {}", change(a.launch_s, b.launch_s), change(a.flop_per_s, b.flop_per_s),
                     change(a.bytes_per_s, b.bytes_per_s));
}

class DiffCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FIRST", first_, "A bundled profile or a YAML file")->required();
    app.add_option("SECOND", second_, "The one compared with it")->required();
    app.footer("Example:\n  servecast-calibrate diff h100_sxm_80g.vllm h200_sxm_141g.vllm");
  }

  int run(Console& console) override {
    const KernelProfile first = load_profile(first_, {});
    const KernelProfile second = load_profile(second_, {});
    fmt::print(console.out,
               "| operator | launch, % | flop/s, % | bytes/s, % | median error, % | in {} |\n"
               "|---|--:|--:|--:|--:|--:|\n",
               visible(second.name));
    for (const FittedOperator& a : first.operators) {
      const std::string title = operator_title(a);
      const auto b = std::ranges::find(second.operators, title, operator_title);
      if (b == second.operators.end())
        fmt::print(console.out, "| {} | – | – | – | {:.1f} | none |\n", title, 100 * a.evidence.median_error);
      else
        fmt::print(console.out, "| {} | {} | {:.1f} | {:.1f} |\n", title, constants(a.law, b->law),
                   100 * a.evidence.median_error, 100 * b->evidence.median_error);
    }
    for (const FittedOperator& b : second.operators)
      if (std::ranges::find(first.operators, operator_title(b), operator_title) == first.operators.end())
        fmt::print(console.out, "| {} | – | – | – | none | {:.1f} |\n", operator_title(b),
                   100 * b.evidence.median_error);
    return 0;
  }

 private:
  std::string first_;
  std::string second_;
};

}  // namespace

std::unique_ptr<Command> make_diff_command() { return std::make_unique<DiffCommand>(); }

}  // namespace servecast
