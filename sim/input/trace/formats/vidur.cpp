// Input of the Vidur simulator (MLSys 2024), CSV. Times are seconds and count from the start of the run.
//
//   request_id,arrived_at,num_prefill_tokens,num_decode_tokens
//   0,0.05100301436374005,395,112
#include <optional>

#include "sim/input/files/csv.h"
#include "sim/input/files/numbers.h"
#include "sim/input/trace/formats/formats.h"

namespace servecast {
namespace {

class Vidur final : public TraceFormat {
 public:
  void begin(LineReader& lines) override {
    csv_.read_header(*lines.next());
    time_ = csv_.column("arrived_at");
    prompt_ = csv_.column("num_prefill_tokens");
    output_ = csv_.column("num_decode_tokens");
  }
  bool next(LineReader& lines, TraceRow& row) override {
    const std::optional<Line> line = lines.next();
    if (!line) return false;
    const auto& cells = csv_.cells(*line);
    row.arrival_s = read_time_s(*line, cells[time_], "arrived_at");
    row.arrival_text = cells[time_];
    row.prompt_tokens = read_prompt_tokens(*line, cells[prompt_]);
    row.output_tokens = read_output_tokens(*line, cells[output_]);
    return true;
  }

 private:
  Csv csv_;
  std::size_t time_ = 0, prompt_ = 0, output_ = 0;
};

}  // namespace

std::unique_ptr<TraceFormat> make_vidur_format() { return std::make_unique<Vidur>(); }

}  // namespace servecast
