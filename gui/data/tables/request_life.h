#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace servecast::gui {

struct Requests;
struct Steps;

enum class LifeKind : std::uint8_t { gateway, earlier_passes, queue, prefill, hand_over, decode, stall };

/// What happened to a request from `from_s` to `to_s`.
struct LifePart {
  LifeKind kind = LifeKind::queue;
  double from_s = 0;
  double to_s = 0;
};

/// A step that worked on the request.
struct LifeStep {
  std::size_t row = 0;      // of Steps
  std::int64_t tokens = 0;  // of this request
};

struct RequestLife {
  std::vector<LifePart> parts{};
  std::vector<LifeStep> steps{};  // in order of time; empty where the report has none of its steps
};

/// From requests.csv alone: the gateway, LLM calls before the one that gave the answer (with their queues), queue,
/// prefill, the KV's way to where it is decoded, decode. With steps: every chunk of the prompt, and stalls, in which
/// its replica took steps without it (preempted, or the batch had no room).
RequestLife life_of(const Requests& requests, std::size_t row, const Steps* steps);

}  // namespace servecast::gui
