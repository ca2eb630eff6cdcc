#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "models/policy/workload.h"
#include "sim/input/trace/generate/arrivals.h"
#include "sim/input/trace/generate/distribution.h"

namespace servecast {

/// Conversations: each request's prompt is everything said before it and something new.
struct SessionSpec {
  DistributionSpec turns{};
  std::optional<DistributionSpec> think_s{};
  std::optional<std::int64_t> max_session_tokens{};
  void fields(Fields& f) {
    f.group("turns", turns, "requests in a session");
    f.group("think_s", think_s, "pause between an answer and the next request; none if left out");
    f.field("max_session_tokens", max_session_tokens, "a session ends before prompt and output would exceed this",
            at_least_one);
  }
};

/// Texts that many prompts begin with.
struct SystemPromptSpec {
  std::int64_t count = 1;
  std::int64_t tokens = 0;
  double zipf_exponent = 0;
  void fields(Fields& f) {
    f.required("count", count, "how many different ones", {.min = 1, .max = 1e6});
    f.required("tokens", tokens, "length of each", {.min = 1, .max = 1e7});
    f.field("zipf_exponent", zipf_exponent, "the i-th is used in proportion to i^-this; 0: all alike");
  }
};

/// A fixed set of prompts, asked again and again: how inference-perf's shared_prefix runs.
struct SharedPrefixSpec {
  std::int64_t groups = 1;
  std::int64_t prompts_per_group = 1;
  std::int64_t system_tokens = 0;
  void fields(Fields& f) {
    f.required("groups", groups, "different system prompts", {.min = 1, .max = 1e5});
    f.required("prompts_per_group", prompts_per_group, "different prompts that begin with each",
               {.min = 1, .max = 1e5});
    f.field("system_tokens", system_tokens, "length of a system prompt", {.min = 0, .max = 1e7});
  }
};

struct GenerateSpec {
  std::optional<std::int64_t> requests{};
  std::optional<double> duration_s{};
  ArrivalSpec arrivals{};
  DistributionSpec prompt_tokens{};
  DistributionSpec output_tokens{};
  std::optional<SessionSpec> sessions{};
  std::optional<SystemPromptSpec> system_prompts{};
  std::optional<SharedPrefixSpec> shared_prefix{};
  std::int64_t block_tokens = 16;
  void fields(Fields& f) {
    f.field("requests", requests, "how many in all", {.min = 1, .max = 4e9});
    f.field("duration_s", duration_s, "nothing arrives at this time or later", positive);
    f.group("arrivals", arrivals, "when requests, or sessions, arrive");
    f.group("prompt_tokens", prompt_tokens, "new tokens of each prompt, beside the system prompt and what was said");
    f.group("output_tokens", output_tokens, "length of each output");
    f.group("sessions", sessions, "conversations whose context grows; single requests if left out");
    f.group("system_prompts", system_prompts, "shared beginnings of prompts; none if left out");
    f.group(
        "shared_prefix", shared_prefix,
        "a fixed set of prompts, shuffled once and then asked in a cycle; prompt_tokens is what each has beyond its "
        "system prompt");
    f.field("block_tokens", block_tokens, "tokens per hash block", {.min = 1, .max = 1e6});
  }
};

/// Adds what is wrong with the settings at `path`.
void check_generator(const GenerateSpec& spec, const std::string& path, SpecProblems& problems);

/// Requests made up by rule. The same seed and source give the same requests; arrivals, each kind of length, turns,
/// think times and system prompts have random streams of their own, so that changing one leaves the others alone.
/// Requires settings that check_generator() has passed.
std::unique_ptr<Workload> make_generator(const GenerateSpec& spec, std::uint64_t seed, std::uint64_t source,
                                         const std::filesystem::path& base_folder);

}  // namespace servecast
