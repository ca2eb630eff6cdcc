#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>

#include "calibrate/cli/commands/commands.h"
#include "calibrate/import/importer.h"
#include "calibrate/samples/samples_csv.h"
#include "models/base/escaped.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/library/hardware.h"

namespace servecast {
namespace {

class ImportCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("TABLES", tables_, "Tables of aiconfigurator or Vidur, CSV or gzip")
        ->required()
        ->type_name("FILE...");
    app.add_option("--gpu", gpu_, "GPU they were measured on: a bundled name or a YAML file")->required();
    add_path(app, "--out", out_, "FILE", "Where to write the samples; gzip if it ends with .gz")->required();
    app.footer(
        "The kind of each table is seen from its columns.\n"
        "Example:\n  servecast-calibrate import --gpu h100_sxm_80g --out samples.csv.gz gemm_perf.csv.gz");
  }

  int run(Console& console) override {
    const ImportContext context{.gpu = load_gpu(gpu_, {}).name};
    std::vector<Sample> samples;  // all tables first: one that is wrong leaves the file as it was
    for (const std::string& table : tables_)
      import_table(table, context, [&](Sample&& sample) { samples.push_back(std::move(sample)); });
    SampleWriter writer(out_);
    for (const Sample& sample : samples) writer.write(sample);
    writer.close();
    fmt::print(console.out, "{} samples from {} tables in {}\n", samples.size(), tables_.size(), visible(out_));
    return 0;
  }

 private:
  std::vector<std::string> tables_;
  std::string gpu_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Command> make_import_command() { return std::make_unique<ImportCommand>(); }

}  // namespace servecast
