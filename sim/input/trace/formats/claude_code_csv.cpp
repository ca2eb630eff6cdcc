// Claude Code sessions, one request per row; a session's rows stand together, a sub-agent's behind the request that
// started it. One id per full 64-token block.
//
//   trace,agent,seq,t_s,type,model,in_tokens,out_tokens,ttft_s,api_time_s,think_time_s,hash_ids_ranges
//   trace_0001,main,0,0.0,n,claude-opus-4-5-20251101,71175,169,,7.34,0.0,1-1112
#include <string>

#include "sim/input/files/csv.h"
#include "sim/input/files/numbers.h"
#include "sim/input/trace/formats/claude_code.h"
#include "sim/input/trace/formats/formats.h"
#include "sim/input/trace/rows/block_ids.h"

namespace servecast {
namespace {

class ClaudeCodeCsv final : public TraceFormat {
 public:
  RowOrder order() const override { return RowOrder::sessions; }
  bool tells_starts() const override { return false; }
  void begin(LineReader& lines) override {
    csv_.read_header(*lines.next());
    trace_ = csv_.column("trace");
    agent_ = csv_.column("agent");
    t_ = csv_.column("t_s");
    prompt_ = csv_.column("in_tokens");
    output_ = csv_.column("out_tokens");
    service_ = csv_.column("api_time_s");
    think_ = csv_.column("think_time_s");
    blocks_ = csv_.column("hash_ids_ranges");
  }
  bool next(LineReader& lines, TraceRow& row) override {
    const std::optional<Line> line = lines.next();
    if (!line) return false;
    const auto& cells = csv_.cells(*line);
    row.prompt_tokens = read_prompt_tokens(*line, cells[prompt_]);
    row.output_tokens = read_output_tokens(*line, cells[output_]);
    row.block_tokens = claude_block_tokens;
    read_block_ranges(*line, cells[blocks_], row);
    check_block_count(*line, row);
    agent(cells[trace_], cells[agent_])
        .time(row, {.t_s = read_time_s(*line, cells[t_], "t_s"),
                    .service_s = read_if_given(*line, cells[service_], "api_time_s"),
                    .think_s = read_if_given(*line, cells[think_], "think_time_s")});
    shift_blocks(row, claude_id_offset(group_));
    return true;
  }

 private:
  static std::optional<double> read_if_given(const Line& line, std::string_view text, std::string_view what) {
    if (text.empty()) return std::nullopt;
    return read_time_s(line, text, what);
  }
  ClaudeAgent& agent(std::string_view trace, std::string_view agent) {
    if (trace != trace_name_) {
      trace_name_ = trace;
      sub_name_.clear();
      ++group_;
      main_ = ClaudeAgent(new_session(), group_, 0);
    }
    if (agent == "main") return main_;
    if (agent != sub_name_) {
      sub_name_ = agent;
      sub_ = ClaudeAgent(new_session(), group_, main_.end_s());
    }
    return sub_;
  }
  SessionId new_session() { return SessionId{++sessions_}; }

  Csv csv_;
  std::size_t trace_ = 0, agent_ = 0, t_ = 0, prompt_ = 0, output_ = 0, service_ = 0, think_ = 0, blocks_ = 0;
  std::string trace_name_;
  std::string sub_name_;
  ClaudeAgent main_;
  ClaudeAgent sub_;
  std::uint32_t group_ = 0;
  std::uint32_t sessions_ = 0;
};

}  // namespace

std::unique_ptr<TraceFormat> make_claude_code_csv_format() { return std::make_unique<ClaudeCodeCsv>(); }

}  // namespace servecast
