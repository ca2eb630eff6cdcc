// Azure LLM inference traces (2023: naive times of 100 ns; 2024: UTC with offset, now and then without fraction).
//
//   TIMESTAMP,ContextTokens,GeneratedTokens
//   2023-11-16 18:17:03.9799600,374,44
//
// Times count from the first row.
#include <optional>

#include "sim/input/files/csv.h"
#include "sim/input/files/numbers.h"
#include "sim/input/trace/formats/formats.h"

namespace servecast {
namespace {

class Azure final : public TraceFormat {
 public:
  void begin(LineReader& lines) override {
    csv_.read_header(*lines.next());
    time_ = csv_.column("TIMESTAMP");
    prompt_ = csv_.column("ContextTokens");
    output_ = csv_.column("GeneratedTokens");
  }
  bool next(LineReader& lines, TraceRow& row) override {
    const std::optional<Line> line = lines.next();
    if (!line) return false;
    const auto& cells = csv_.cells(*line);
    const std::int64_t time_ns = read_date_ns(*line, cells[time_]);
    if (!first_ns_) first_ns_ = time_ns;
    row.arrival_s = static_cast<double>(time_ns - *first_ns_) / 1e9;
    row.arrival_text = cells[time_];
    row.prompt_tokens = read_prompt_tokens(*line, cells[prompt_]);
    row.output_tokens = read_output_tokens(*line, cells[output_]);
    return true;
  }

 private:
  Csv csv_;
  std::size_t time_ = 0, prompt_ = 0, output_ = 0;
  std::optional<std::int64_t> first_ns_;
};

}  // namespace

std::unique_ptr<TraceFormat> make_azure_format() { return std::make_unique<Azure>(); }

}  // namespace servecast
