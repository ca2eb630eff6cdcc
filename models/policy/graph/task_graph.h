#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/policy/graph/answer_quality.h"

namespace servecast {

/// A part of a prompt. Equal parts of two prompts of one request are the same text, which a prefix cache finds again.
struct TextPiece {
  enum class Source : std::uint8_t { request, answer, own };
  Source source = Source::own;
  std::uint32_t task = 0;  // whose answer, or whose own words
  std::int64_t tokens = 0;

  bool operator==(const TextPiece&) const = default;
};

/// One LLM call of a request that is worked out in several.
struct Subtask {
  std::uint32_t node = 0;  // to which it belongs: index into TaskPlanner::nodes()
  TargetId target{};
  std::vector<TextPiece> prompt{};
  std::int64_t output_tokens = 0;
  std::vector<std::uint32_t> after{};  // those whose answers it waits for, each earlier in the list
  double tool_s = 0;                   // from the last of these answers until it can start

  std::int64_t prompt_tokens() const {
    std::int64_t tokens = 0;
    for (const TextPiece& piece : prompt) tokens += piece.tokens;
    return tokens;
  }
};

/// How one request is worked out: its answer is that of the subtasks for which no other waits, all of one node.
struct TaskGraph {
  std::vector<Subtask> tasks{};
  std::uint32_t streamed = 0;  // whose words the client reads as they come
};

/// What a stage that plans such graphs says of every one.
class TaskPlanner {
 public:
  virtual ~TaskPlanner() = default;
  virtual std::vector<std::string> nodes() const = 0;
  /// The most subtasks of one level: of those that wait for as long a chain of others.
  virtual std::int64_t width() const = 0;
  /// It says whose words the client reads as they come.
  virtual bool streams() const = 0;
  /// The one target whose requests it plans; none: it plans all.
  virtual std::optional<std::string> only_for() const { return std::nullopt; }
};

}  // namespace servecast
