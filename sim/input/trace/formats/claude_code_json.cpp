// Claude Code sessions as published: one JSON object per session, each on a line of its own. A sub-agent stands as
// one entry of the session's requests, with its own requests inside. One id per full 64-token block.
//
//   {"id": "trace_0001", "block_size": 64, "hash_id_scope": "local", "requests": [{"t": 0.0, "type": "n", "in":
//   71175,
//    "out": 169, "hash_ids": [1, 2], "api_time": 7.34, "think_time": 0.0}, {"t": 9.0, "type": "subagent",
//    "requests": [...]}]}
#include "sim/input/files/json_scan.h"
#include "sim/input/files/numbers.h"
#include "sim/input/trace/formats/claude_code.h"
#include "sim/input/trace/formats/formats.h"
#include "sim/input/trace/rows/block_ids.h"

namespace servecast {
namespace {

class ClaudeCodeJson final : public TraceFormat {
 public:
  RowOrder order() const override { return RowOrder::sessions; }
  bool tells_starts() const override { return false; }
  bool next(LineReader& lines, TraceRow& row) override {
    while (given_ == rows_.size()) {
      const std::optional<Line> line = lines.next();
      if (!line) return false;
      rows_.clear();
      given_ = 0;
      read_session(*line);
    }
    row = std::move(rows_[given_++]);
    return true;
  }

 private:
  void read_session(const Line& line) {
    ++group_;
    ClaudeAgent main(new_session(), group_, 0);
    bool has_requests = false;
    JsonScan json(line);
    json.object([&](std::string_view key) {
      if (key != "requests") return json.skip();
      has_requests = true;
      json.array([&] { read_request(line, json, main, main.end_s()); });
    });
    json.end();
    require_key(line, has_requests, "requests");
  }

  /// One request of `agent`, or a sub-agent that starts at `start_s`.
  void read_request(const Line& line, JsonScan& json, ClaudeAgent& agent, double start_s) {
    TraceRow row{.block_tokens = claude_block_tokens};
    ClaudeAgent::Times times;
    bool is_agent = false;
    json.object([&](std::string_view key) {
      if (key == "requests") {
        is_agent = true;
        ClaudeAgent sub_agent(new_session(), group_, start_s);
        json.array([&] { read_request(line, json, sub_agent, start_s); });
      } else {
        read_member(line, json, key, row, times);
      }
    });
    if (is_agent) return;
    require_key(line, row.prompt_tokens > 0, "in");
    check_block_count(line, row);
    shift_blocks(row, claude_id_offset(group_));
    agent.time(row, times);
    rows_.push_back(std::move(row));
  }

  static void read_member(const Line& line, JsonScan& json, std::string_view key, TraceRow& row,
                          ClaudeAgent::Times& times) {
    if (key == "t")
      times.t_s = read_time_s(line, json.number(), key);
    else if (key == "api_time")
      times.service_s = read_time_s(line, json.number(), key);
    else if (key == "think_time")
      times.think_s = read_time_s(line, json.number(), key);
    else if (key == "in")
      row.prompt_tokens = read_prompt_tokens(line, json.number());
    else if (key == "out")
      row.output_tokens = read_output_tokens(line, json.number());
    else if (key == "hash_ids")
      json.array([&] { row.add_block(read_block_id(line, json.number())); });
    else
      json.skip();
  }
  SessionId new_session() { return SessionId{++sessions_}; }

  std::vector<TraceRow> rows_;  // of the session read last
  std::size_t given_ = 0;
  std::uint32_t group_ = 0;
  std::uint32_t sessions_ = 0;
};

}  // namespace

std::unique_ptr<TraceFormat> make_claude_code_json_format() { return std::make_unique<ClaudeCodeJson>(); }

}  // namespace servecast
