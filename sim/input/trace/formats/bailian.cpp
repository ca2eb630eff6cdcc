// Qwen-Bailian: one id per 16-token block. A chat is a chain of calls, each naming the one before as its parent; the
// chain is the session, the type the request's class.
//
//   {"chat_id": 159, "parent_chat_id": 55, "timestamp": 61.114, "input_length": 521, "output_length": 132,
//    "type": "text", "turn": 2, "hash_ids": [1089, 1090]}
#include <unordered_map>

#include "sim/input/files/json_scan.h"
#include "sim/input/files/numbers.h"
#include "sim/input/trace/formats/formats.h"
#include "sim/input/trace/rows/block_ids.h"

namespace servecast {
namespace {

/// Gives every chat the session of its parent, and a session of its own to a root (parent -1).
class ChatSessions {
 public:
  SessionId id(std::string_view chat, std::string_view parent) {
    const auto of_parent = sessions_.find(std::string(parent));  // absent: it came before the trace began
    SessionId session = of_parent != sessions_.end() ? of_parent->second : SessionId{++count_};
    if (parent != "-1" && of_parent == sessions_.end()) sessions_.emplace(parent, session);
    sessions_.emplace(chat, session);
    return session;
  }

 private:
  std::unordered_map<std::string, SessionId> sessions_;  // looked up, never walked through
  std::uint32_t count_ = 0;
};

class Bailian final : public TraceFormat {
 public:
  bool next(LineReader& lines, TraceRow& row) override {
    const std::optional<Line> line = lines.next();
    if (!line) return false;
    bool has_prompt = false;
    bool has_output = false;
    std::string_view chat;
    std::string_view parent;
    JsonScan json(*line);
    json.object([&](std::string_view key) {
      if (key == "chat_id") {
        chat = json.scalar();
      } else if (key == "parent_chat_id") {
        parent = json.scalar();
      } else if (key == "timestamp") {
        row.arrival_text = json.number();
        row.arrival_s = read_time_s(*line, row.arrival_text, key);
      } else if (key == "input_length") {
        row.prompt_tokens = read_prompt_tokens(*line, json.number());
        has_prompt = true;
      } else if (key == "output_length") {
        row.output_tokens = read_output_tokens(*line, json.number());
        has_output = true;
      } else if (key == "type") {
        row.request_class = json.string();
      } else if (key == "hash_ids") {
        json.array([&] { row.add_block(read_block_id(*line, json.number())); });
      } else {
        json.skip();
      }
    });
    json.end();
    require_key(*line, row.arrival_s.has_value(), "timestamp");
    require_key(*line, has_prompt, "input_length");
    require_key(*line, has_output, "output_length");
    require_key(*line, !chat.empty(), "chat_id");
    require_key(*line, !parent.empty(), "parent_chat_id");
    row.session = sessions_.id(chat, parent);
    row.block_tokens = 16;
    check_block_count(*line, row);
    return true;
  }

 private:
  ChatSessions sessions_;
};

}  // namespace

std::unique_ptr<TraceFormat> make_bailian_format() { return std::make_unique<Bailian>(); }

}  // namespace servecast
