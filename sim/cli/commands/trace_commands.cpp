#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "models/base/escaped.h"
#include "sim/cli/commands/trace_arguments.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/trace/cache/trace_convert.h"
#include "sim/input/trace/cache/trace_info.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

CLI::Option* add_out(CLI::App& app, const std::string& name, std::string& out) {
  return add_path(app, name, out, "FILE", "The file to write, CSV; packed where it ends in .gz")->required();
}

std::string written(const std::string& file, std::int64_t requests) {
  return fmt::format("{}: {} requests\n", visible(file), human::count(requests));
}

class TraceInfoCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    trace_.declare(app);
    add_choice(app, "--format", format_, "format", {"text", "json"}, "How to write it (text)");
    app.footer(
        "Examples:\n  servecast trace info chat.csv.gz\n  servecast trace info chat.csv.gz --to-s 600 --format json");
  }
  int run(Console& console) override {
    trace_.open([&](const WorkloadSpec& spec, const WorkloadContext& context) {
      const TraceInfo info = describe(*make_workload(spec, context), trace_.notes());
      console.out << (format_ == "json" ? to_json(info) : to_text(info));
    });
    return 0;
  }

 private:
  TraceArguments trace_;
  std::string format_ = "text";
};

class TraceConvertCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    trace_.declare(app);
    add_out(app, "OUT", out_);
    app.footer(
        "Examples:\n"
        "  servecast trace convert azure.csv chat.csv.gz\n"
        "  servecast trace convert azure.csv busy.csv --from-s 600 --to-s 1200 --rate-scale 4");
  }
  int run(Console& console) override {
    trace_.open([&](const WorkloadSpec& spec, const WorkloadContext& context) {
      console.out << written(out_, convert(spec, context, out_));
    });
    for (const auto& [why, rows] : trace_.notes().skipped_rows)
      console.err << fmt::format("{}: {} rows left out: {}\n", visible(trace_.file()), human::count(rows), why);
    return 0;
  }

 private:
  TraceArguments trace_;
  std::string out_;
};

class TraceMakeCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("SETTINGS", settings_, "A YAML file with 'seed' and what 'workload' has in a scenario")
        ->required()
        ->type_name("FILE");
    add_out(app, "-o,--out", out_);
    app.footer("Examples:\n  servecast trace make chat.yaml --out chat.csv.gz");
  }
  int run(Console& console) override {
    console.out << written(out_, make_trace(settings_, out_));
    return 0;
  }

 private:
  std::string settings_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Command> make_trace_info_command() { return std::make_unique<TraceInfoCommand>(); }
std::unique_ptr<Command> make_trace_convert_command() { return std::make_unique<TraceConvertCommand>(); }
std::unique_ptr<Command> make_trace_make_command() { return std::make_unique<TraceMakeCommand>(); }

}  // namespace servecast
