// Mooncake: one id per 512-token block, the last block may be part-filled; times in ms from the start of the trace.
//
//   {"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1, 2, 3]}
#include "sim/input/files/json_scan.h"
#include "sim/input/files/numbers.h"
#include "sim/input/trace/formats/formats.h"
#include "sim/input/trace/rows/block_ids.h"

namespace servecast {
namespace {

class Mooncake final : public TraceFormat {
 public:
  bool next(LineReader& lines, TraceRow& row) override {
    const std::optional<Line> line = lines.next();
    if (!line) return false;
    bool has_prompt = false;
    bool has_output = false;
    JsonScan json(*line);
    json.object([&](std::string_view key) {
      if (key == "timestamp") {
        row.arrival_text = json.number();
        row.arrival_s = read_time_s(*line, row.arrival_text, key, 1000);
      } else if (key == "input_length") {
        row.prompt_tokens = read_prompt_tokens(*line, json.number());
        has_prompt = true;
      } else if (key == "output_length") {
        row.output_tokens = read_output_tokens(*line, json.number());
        has_output = true;
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
    row.block_tokens = 512;
    check_block_count(*line, row);
    return true;
  }
};

}  // namespace

std::unique_ptr<TraceFormat> make_mooncake_format() { return std::make_unique<Mooncake>(); }

}  // namespace servecast
