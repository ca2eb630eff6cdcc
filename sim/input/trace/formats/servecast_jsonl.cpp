// Our own format as JSONL: the columns of the CSV form as keys, prefix_blocks as a list of ids. Which rows wait for
// another shows only row by row, so the file is read whole.
//
//   {"request_id": 0, "arrival_s": 0.25, "prompt_tokens": 1100, "output_tokens": 210, "session": "7"}
//   {"request_id": 1, "think_s": 12.5, "prompt_tokens": 1500, "output_tokens": 180, "session": "7"}
#include <array>

#include "models/base/names.h"
#include "sim/input/files/json_scan.h"
#include "sim/input/files/numbers.h"
#include "sim/input/trace/formats/formats.h"
#include "sim/input/trace/rows/block_ids.h"
#include "sim/input/trace/rows/names_to_ids.h"

namespace servecast {
namespace {

const std::array<std::string, 11> keys{"request_id", "arrival_s",    "prompt_tokens", "output_tokens",
                                       "session",    "think_s",      "class",         "client",
                                       "priority",   "block_tokens", "prefix_blocks"};

class ServecastJsonl final : public TraceFormat {
 public:
  RowOrder order() const override { return RowOrder::sessions; }
  bool next(LineReader& lines, TraceRow& row) override {
    const std::optional<Line> line = lines.next();
    if (!line) return false;
    has_think_ = has_output_ = false;
    JsonScan json(*line);
    json.object([&](std::string_view key) { read_member(*line, json, key, row); });
    json.end();
    require_key(*line, row.prompt_tokens > 0, "prompt_tokens");
    require_key(*line, has_output_, "output_tokens");
    if (row.arrival_s.has_value() == has_think_)
      line->fail(line->text, "a row needs either arrival_s, or think_s and a session");
    if (has_think_) require_key(*line, row.session != SessionId{}, "session");
    if (!row.blocks.empty()) {
      require_key(*line, row.block_tokens > 0, "block_tokens");
      check_block_count(*line, row);
    }
    return true;
  }

 private:
  void read_member(const Line& line, JsonScan& json, std::string_view key, TraceRow& row) {
    if (key == "arrival_s") {
      row.arrival_text = json.number();
      row.arrival_s = read_time_s(line, row.arrival_text, key);
    } else if (key == "think_s") {
      row.think_s = read_time_s(line, json.number(), key);
      has_think_ = true;
    } else if (key == "prompt_tokens") {
      row.prompt_tokens = read_prompt_tokens(line, json.number());
    } else if (key == "output_tokens") {
      row.output_tokens = read_output_tokens(line, json.number());
      has_output_ = true;
    } else if (key == "session") {
      row.session = sessions_.id(json.scalar());
    } else if (key == "class") {
      row.request_class = json.string();
    } else if (key == "client") {
      row.client = clients_.id(json.scalar());
    } else if (key == "priority") {
      row.priority = read_priority(line, json.number());
    } else if (key == "block_tokens") {
      row.block_tokens =
          static_cast<std::int32_t>(read_count(line, json.number(), "block tokens", {.min = 1, .max = 1'000'000}));
    } else if (key == "prefix_blocks") {
      json.array([&] { row.add_block(read_block_id(line, json.number())); });
    } else if (key == "request_id") {
      json.skip();
    } else {
      line.fail(key, unknown_name("key", key, keys));
    }
  }

  bool has_think_ = false;
  bool has_output_ = false;
  NamesToIds<SessionId> sessions_;
  NamesToIds<ClientId> clients_;
};

}  // namespace

std::unique_ptr<TraceFormat> make_servecast_jsonl_format() { return std::make_unique<ServecastJsonl>(); }

}  // namespace servecast
