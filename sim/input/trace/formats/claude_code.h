#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/input/trace/rows/trace_row.h"

namespace servecast {

/// What both forms of the Claude Code sessions share: when an agent makes its requests.
///
/// An agent makes a request `think_time` after its last one has finished. The trace does not tell when a session
/// starts, so its rows form a start group. A sub-agent is started by the main agent's request before it; it runs
/// beside the main agent, whose next think time is the wait for it. Where the think time is not recorded it is the
/// gap between the two requests' times, less the service time where that is recorded.
class ClaudeAgent {
 public:
  struct Times {
    double t_s = 0;  // from the agent's start
    std::optional<double> service_s{};
    std::optional<double> think_s{};
  };

  ClaudeAgent() = default;
  ClaudeAgent(SessionId session, std::uint32_t group, double start_s)
      : session_(session), group_(group), start_s_(start_s) {}

  void time(TraceRow& row, const Times& times) {
    row.session = session_;
    row.start_group = group_;
    if (first_)
      row.arrival_s = start_s_;
    else
      row.think_s = times.think_s.value_or(std::max(0.0, times.t_s - end_s_));
    first_ = false;
    end_s_ = times.t_s + times.service_s.value_or(0);
  }
  /// When its last request ended, on the recorded clock.
  double end_s() const { return end_s_; }

 private:
  SessionId session_{};
  std::uint32_t group_ = 0;
  double start_s_ = 0;
  double end_s_ = 0;
  bool first_ = true;
};

/// Ids are numbered anew in each session; this keeps them apart.
constexpr BlockHash claude_id_offset(std::uint32_t group) { return BlockHash{group} << 24; }
constexpr std::int32_t claude_block_tokens = 64;

}  // namespace servecast
