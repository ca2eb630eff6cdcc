#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "models/base/error.h"
#include "models/base/names.h"
#include "models/policy/eviction.h"
#include "sim/cli/commands/trace_arguments.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/trace/cache/trace_cache.h"

namespace servecast {
namespace {

std::string bad_size(const std::string& word) {
  constexpr std::int64_t most = 1'000'000'000;
  std::int64_t blocks = 0;
  if (CLI::detail::lexical_cast(word, blocks) && blocks >= 1 && blocks <= most) return "";
  return fmt::format("'{}' is no size of a cache; give a whole number of blocks, 1 to {}", word, most);
}

/// Requests are replayed in their order and without time, so what goes by the clock is left out.
std::vector<std::string> evictions_without_clock() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : Registry<Eviction>::all())
    if (entry.prepare()->make()->lifetime_s() == std::numeric_limits<double>::infinity()) names.push_back(name);
  return names;
}

std::string bad_policy(const std::string& word) {
  const std::vector<std::string> known = evictions_without_clock();
  return std::ranges::find(known, word) == known.end() ? unknown_name("eviction", word, known) : "";
}

std::string bad_share(const std::string& word) {
  double share = 0;
  if (CLI::detail::lexical_cast(word, share) && share >= 0 && share < 1) return "";
  return fmt::format("'{}' is no share; give a number from 0 to below 1", word);
}

class TraceCacheCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    trace_.declare(app);
    app.add_option("--blocks", caches_.blocks, "Sizes of the cache in blocks, with commas between")
        ->required()
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Validator(bad_size, ""))
        ->type_name("NUMBER,...");
    app.add_option("--policy", caches_.policies, "What leaves a full cache; several with commas between (all)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Validator(bad_policy, ""))
        ->type_name(join(evictions_without_clock(), "|"));
    app.add_option("--warm-up", caches_.warm_up_fraction,
                   "Share of the requests that fill the cache and are not counted (0.5)")
        ->check(CLI::Validator(bad_share, ""))
        ->type_name("FRACTION");
    add_choice(app, "--format", format_, "format", {"text", "json", "csv"}, "How to write it (text)");
    app.footer(
        "Examples:\n"
        "  servecast trace cache mooncake.jsonl --blocks 8192,16384,32768\n"
        "  servecast trace cache mooncake.jsonl --blocks 16384 --policy lru --format json");
  }
  int run(Console& console) override {
    if (caches_.policies.empty()) caches_.policies = evictions_without_clock();
    trace_.open([&](const WorkloadSpec& spec, const WorkloadContext& context) {
      console.out << written(replay_through_caches(*make_workload(spec, context), caches_, trace_.notes()));
    });
    return 0;
  }

 private:
  std::string written(const TraceCacheReport& report) const {
    if (report.distinct_blocks == 0)
      throw UserError({.file = trace_.file()}, "no request has hash blocks, so there is nothing to cache");
    return format_ == "json" ? to_json(report) : format_ == "csv" ? to_csv(report) : to_text(report);
  }

  TraceArguments trace_;
  TraceCacheSpec caches_;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_trace_cache_command() { return std::make_unique<TraceCacheCommand>(); }

}  // namespace servecast
