// LLMServingSim: lengths, the arrival in ns, and the token ids themselves, which are not needed.
//
//   {"input_toks": 2358, "output_toks": 531, "arrival_time_ns": 46926808, "input_tok_ids": [], "output_tok_ids": []}
#include "sim/input/files/json_scan.h"
#include "sim/input/files/numbers.h"
#include "sim/input/trace/formats/formats.h"

namespace servecast {
namespace {

class LlmServingSim final : public TraceFormat {
 public:
  bool next(LineReader& lines, TraceRow& row) override {
    const std::optional<Line> line = lines.next();
    if (!line) return false;
    bool has_prompt = false;
    bool has_output = false;
    JsonScan json(*line);
    json.object([&](std::string_view key) {
      if (key == "arrival_time_ns") {
        row.arrival_text = json.number();
        row.arrival_s = read_time_s(*line, row.arrival_text, key, 1e9);
      } else if (key == "input_toks") {
        row.prompt_tokens = read_prompt_tokens(*line, json.number());
        has_prompt = true;
      } else if (key == "output_toks") {
        row.output_tokens = read_output_tokens(*line, json.number());
        has_output = true;
      } else {
        json.skip();
      }
    });
    json.end();
    require_key(*line, row.arrival_s.has_value(), "arrival_time_ns");
    require_key(*line, has_prompt, "input_toks");
    require_key(*line, has_output, "output_toks");
    return true;
  }
};

}  // namespace

std::unique_ptr<TraceFormat> make_llmservingsim_format() { return std::make_unique<LlmServingSim>(); }

}  // namespace servecast
