#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "models/base/error.h"
#include "models/base/input_file.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/cli/runs/many_runs.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

class PlanMergeCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("DIR", folders_, "Folders that --out named, each with a plan.sqlite")
        ->required()
        ->expected(1, 100000)
        ->type_name("DIR");
    add_path(app, "-o,--out", into_.out, "DIR", "Where the joined results go; what is there stays")->required();
    app.footer("Example:\n  servecast plan merge study/shard-* --out study");
  }

  int run(Console& console) override {
    std::vector<std::string> files;
    std::error_code missing;  // --out may not be there yet
    for (const std::string& folder : folders_) {
      if (fs::equivalent(folder, into_.out, missing))
        throw UserError({folder}, "is the folder of --out itself, where what is there stays; leave it out");
      files.push_back(results_in(folder));
    }
    ResultsFile joined(into_.file(results_name));
    const std::int64_t before = joined.size();
    for (const std::string& file : files) joined.add_all(file);
    console.out << fmt::format("{} results, {} of them new\n", joined.size(), joined.size() - before);
    return 0;
  }

 private:
  static std::string results_in(const std::string& folder) {
    const fs::path file = fs::path(folder) / results_name;
    if (!is_there(file))
      throw UserError({folder}, std::string("has no ") + results_name + "; name a folder of --out");
    return file.string();
  }

  std::vector<std::string> folders_;
  ManyRunsArguments into_;
};

}  // namespace

std::unique_ptr<Command> make_plan_merge_command() { return std::make_unique<PlanMergeCommand>(); }

}  // namespace servecast
