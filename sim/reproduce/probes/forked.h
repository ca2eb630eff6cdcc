#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace servecast {

/// What a child process works out.
using ForkedWork = std::function<std::vector<double>()>;

/// What it said: numbers, or why there are none.
struct ForkedAnswer {
  std::vector<double> values{};
  std::string refusal{};
};

struct ForkedOptions {
  std::size_t at_a_time = 1;
  std::function<void(std::size_t done)> progress{};  // empty: none
  std::function<bool()> stop{};                      // asked many times a second; true: Stopped
};

/// Each piece of work in a copy of this process, several at a time, since the engine runs once per process. Answers
/// in the order of the work. Children die with their parent.
std::vector<ForkedAnswer> in_children(std::span<const ForkedWork> work, const ForkedOptions& options);

/// One of them; throws UserError with its refusal.
std::vector<double> in_own_process(const ForkedWork& work);

}  // namespace servecast
