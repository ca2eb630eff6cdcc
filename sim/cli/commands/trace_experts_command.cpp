#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "models/base/error.h"
#include "models/base/names.h"
#include "models/policy/expert_cache.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/library/llm_config.h"
#include "sim/input/trace/cache/expert_replay.h"
#include "sim/input/trace/read/routing_files.h"

namespace servecast {
namespace {

std::string bad_slots(const std::string& word) {
  std::int64_t slots = 0;
  if (CLI::detail::lexical_cast(word, slots) && slots >= 1 && slots <= 65536) return "";
  return fmt::format("'{}' is no number of slots; give a whole number, 1 to 65536", word);
}

std::string bad_cache(const std::string& word) {
  return Registry<ExpertCache>::all().contains(word)
             ? ""
             : unknown_name("expert cache", word, Registry<ExpertCache>::names());
}

class TraceExpertsCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FOLDER", folder_, "A routing trace: routing_u8.bin.gz, probs_u8.bin.gz, index.csv.gz")
        ->required()
        ->type_name("FOLDER");
    app.add_option("--llm", llm_, "The model it was recorded with: a bundled name or a HuggingFace config.json")
        ->required()
        ->type_name("MODEL");
    app.add_option("--slots", spec_.slots, "Sizes of every layer's cache in experts, with commas between")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Validator(bad_slots, ""))
        ->type_name("NUMBER,...");
    app.add_option("--policy", spec_.policies, "Which experts stay; several with commas between (all)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Validator(bad_cache, ""))
        ->type_name(join(Registry<ExpertCache>::names(), "|"));
    app.add_option("--ranks", spec_.ranks, "Load of the fullest GPU of so many that share the experts")
        ->type_name("NUMBER");
    app.add_option("--redundant", spec_.redundant, "With --ranks: further copies of busy experts in every layer (0)")
        ->type_name("NUMBER");
    add_choice(app, "--format", format_, "format", {"text", "json", "csv"}, "How to write it (text)");
    app.footer(
        "Examples:\n"
        "  servecast trace experts gptoss20b --llm gpt-oss-20b --slots 8,12,16,24\n"
        "  servecast trace experts gptoss20b --llm gpt-oss-20b --ranks 8 --redundant 8 --format json");
  }
  int run(Console& console) override {
    const Llm llm = load_llm(llm_, {}, "");
    const ExpertShape shape = expert_shape(llm);
    if (shape.layers == 0) throw UserError(fmt::format("--llm: '{}' has no experts", llm_));
    check_ranks(shape);
    if (spec_.policies.empty()) spec_.policies = Registry<ExpertCache>::names();
    const ExpertReplayReport report = replay_experts(read_routing_trace(folder_, shape, {}), spec_);
    console.out << (format_ == "json" ? to_json(report) : format_ == "csv" ? to_csv(report) : to_text(report));
    return 0;
  }

 private:
  void check_ranks(const ExpertShape& shape) const {
    if (spec_.ranks == 0 && spec_.redundant == 0) return;
    const bool divide = spec_.ranks > 0 && spec_.redundant >= 0 && shape.experts % spec_.ranks == 0 &&
                        (shape.experts + spec_.redundant) % spec_.ranks == 0;
    if (!divide)
      throw UserError(
          fmt::format("--ranks {} --redundant {}: every rank holds as many of the {} experts, and as many "
                      "of the copies; take numbers that divide",
                      spec_.ranks, spec_.redundant, shape.experts));
  }

  std::string folder_;
  std::string llm_;
  ExpertReplaySpec spec_;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_trace_experts_command() { return std::make_unique<TraceExpertsCommand>(); }

}  // namespace servecast
