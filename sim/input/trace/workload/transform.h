#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "models/base/fields.h"
#include "models/policy/workload.h"
#include "sim/input/trace/workload/request_labels.h"

namespace servecast {

/// So large that any length is too long for any model, and none overflows.
inline constexpr Range length_scale{.min = 0, .max = 1e6, .above_min = true};

/// How a source of requests is changed on its way. Slices count and cut what arrives by itself: the later requests of
/// a session go with its first one. They come first, then the speed, then lengths, then the caps.
struct TransformSpec {
  std::int64_t skip = 0;
  std::optional<std::int64_t> limit{};
  double from_s = 0;
  std::optional<double> to_s{};
  double rate_scale = 1;
  std::optional<double> prompt_scale{};
  std::optional<double> output_scale{};
  std::optional<double> cold_fraction{};
  std::optional<std::int64_t> max_prompt_tokens{};
  std::optional<std::int64_t> max_output_tokens{};

  void fields(Fields& f) {
    f.field("skip", skip, "leave out so many requests at the start; time then begins at the first one kept");
    f.field("limit", limit, "keep at most so many requests that arrive by themselves");
    f.field("from_s", from_s, "leave out what arrives before; time then begins here");
    f.field("to_s", to_s, "leave out what arrives at this time or later");
    f.field("rate_scale", rate_scale, "gaps between arrivals are divided by this; think times are not", positive);
    f.field("prompt_scale", prompt_scale,
            "prompts are so many times as long; those whose blocks the trace tells stay as they are", length_scale);
    f.field("output_scale", output_scale, "outputs are so many times as long", length_scale);
    f.field("cold_fraction", cold_fraction, "share of requests, chosen by their ids, that find nothing in any cache",
            fraction);
    f.field("max_prompt_tokens", max_prompt_tokens, "longer prompts are cut", at_least_one);
    f.field("max_output_tokens", max_output_tokens, "longer outputs are cut", at_least_one);
  }
};

/// `source` with these changes; `source` itself where there are none.
std::unique_ptr<Workload> transform(std::unique_ptr<Workload> source, const TransformSpec& spec);

/// RequestLabels with their names looked up.
struct Labels {
  PoolId pool{};
  std::optional<ClassId> request_class{};
  std::optional<ClientId> client{};
  RequestLabels common{};
  std::uint64_t adapter_seed = 0;
};

/// Gives every request of `source` these.
std::unique_ptr<Workload> assign(std::unique_ptr<Workload> source, const Labels& labels);

}  // namespace servecast
