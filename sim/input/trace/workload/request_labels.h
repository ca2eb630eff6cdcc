#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "models/base/fields.h"

namespace servecast {

/// LoRA adapters that requests name.
struct AdapterNamesSpec {
  std::int64_t count = 1;
  std::int64_t first = 1;
  double zipf_exponent = 1;
  bool operator==(const AdapterNamesSpec&) const = default;
  void fields(Fields& f) {
    f.required("count", count, "how many different ones", {.min = 1, .max = 1e6});
    f.field("first", first, "number of the first of them: the same numbers in several sources are the same adapters",
            {.min = 1, .max = 1e6});
    f.field("zipf_exponent", zipf_exponent, "the i-th is named in proportion to i^-this; 0: all alike");
  }
};

/// Images that a prompt begins with.
struct ImagesSpec {
  std::int64_t count = 1;
  std::int64_t tokens = 0;
  bool operator==(const ImagesSpec&) const = default;
  void fields(Fields& f) {
    f.field("count", count, "images of each request; a prompt too short for them has fewer", {.min = 1, .max = 1e4});
    f.required("tokens", tokens,
               "tokens of each, part of the prompt's: 256 for Gemma 3; pixels / 784 for Qwen2-VL and Qwen2.5-VL",
               {.min = 1, .max = 1e6});
  }
};

/// What is the same for all requests of a source; what is left out stays as the trace says.
struct RequestLabels {
  std::string pool{};
  std::string request_class{};
  std::string client{};
  std::optional<std::int64_t> priority{};
  std::optional<double> ttft_deadline_s{};
  std::optional<double> client_timeout_s{};
  std::int64_t samples = 1;
  std::int64_t beam_width = 1;
  std::optional<AdapterNamesSpec> adapters{};
  std::optional<ImagesSpec> images{};

  bool operator==(const RequestLabels&) const = default;

  void fields(Fields& f) {
    f.field("pool", pool, "where its requests go; left out: the first pool");
    f.field("class", request_class, "name of its requests' class; left out: what the trace says");
    f.field("client", client, "its sender, for queue: fair_share and others; left out: what the trace says");
    f.field("priority", priority,
            "smaller goes first, for queue: priority and the gateway's jobs; left out: what the trace says",
            {.min = 0, .max = 1e6});
    f.field("ttft_deadline_s", ttft_deadline_s,
            "first token wanted so long after arrival, for queue: earliest_deadline", positive);
    f.field("client_timeout_s", client_timeout_s, "clients give up so long after arrival; left out: never", positive);
    f.field("samples", samples, "outputs made side by side from one prompt", {.min = 1, .max = 1024});
    f.group("adapters", adapters, "each request, or session, names a LoRA adapter; left out: none");
    f.group("images", images, "each prompt begins with images, which the model's encoder reads; left out: text alone");
    f.field("beam_width", beam_width, "candidates that beam search keeps; 1: no beam search",
            {.min = 1, .max = 1024});
  }
};

}  // namespace servecast
