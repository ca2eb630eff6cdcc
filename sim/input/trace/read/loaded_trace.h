#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/policy/workload.h"
#include "sim/input/trace/read/trace_file.h"
#include "sim/input/trace/read/trace_rows.h"

namespace servecast {

/// A trace that is read whole: one whose rows stand in any order, or wait for an earlier row of their session.
///
/// Rows form chains. The first row of a chain arrives by itself, each other one when the row before it has finished
/// and its think time is over. Blocks are kept as runs and written out when a request is given; the requests of a
/// chain follow each other, so one list of blocks per chain is enough.
class LoadedTrace final : public Workload {
 public:
  LoadedTrace(TraceRows& rows, TraceOptions options);

  std::optional<Request> next() override;
  std::optional<Request> follow_up(const Request& done, double finish_s) override;
  double fraction_read() const override;

 private:
  struct Row {
    double time_s = 0;  // arrival of a chain's first row, think time of the others
    std::int64_t prompt_tokens = 0;
    std::int64_t output_tokens = 0;
    SessionId session{};
    ClassId request_class{};
    ClientId client{};
    std::int32_t priority = 0;
    std::int32_t block_tokens = 0;
    std::size_t first_run = 0;  // its part of runs_
    std::size_t last_run = 0;   // one behind
  };
  struct Chain {
    double start_s = 0;
    std::vector<std::uint32_t> rows{};
    std::size_t given = 0;
    std::vector<BlockHash> blocks{};       // of the row given last
    std::vector<BlockHash> next_blocks{};  // of the row after it
  };

  void load(TraceRows& rows);
  void add(TraceRows& rows, const TraceRow& row);
  double start_s(const TraceRow& row);
  Request give(std::uint32_t chain, double arrival_s);
  void read_blocks(const Row& row, std::vector<BlockHash>& blocks) const;
  static std::span<const BlockHash> said(const Chain& chain, const Row& row);

  TraceOptions options_;
  std::vector<Row> rows_;
  std::vector<BlockRange> runs_;
  std::vector<Chain> chains_;                                   // sorted by start after loading
  std::unordered_map<SessionId, std::uint32_t> session_chain_;  // while loading: the chain that a session is at
  std::unordered_map<RequestId, std::uint32_t> awaited_chain_;  // the chain that a request given out holds up
  std::vector<double> group_starts_;
  std::size_t next_chain_ = 0;
  std::size_t given_ = 0;
};

}  // namespace servecast
