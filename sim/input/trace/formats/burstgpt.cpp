// BurstGPT. Versions 1 and 2 have these columns; version 3 adds "Session ID" and "Elapsed time". Read by name.
//
//   Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
//   5,ChatGPT,472,18,490,Conversation log
//
// Times are seconds and count here from the first row. The log type is the request's class.
#include <optional>

#include "sim/input/files/csv.h"
#include "sim/input/files/numbers.h"
#include "sim/input/trace/formats/formats.h"
#include "sim/input/trace/rows/names_to_ids.h"

namespace servecast {
namespace {

class BurstGpt final : public TraceFormat {
 public:
  void begin(LineReader& lines) override {
    csv_.read_header(*lines.next());
    time_ = csv_.column("Timestamp");
    prompt_ = csv_.column("Request tokens");
    output_ = csv_.column("Response tokens");
    type_ = csv_.column("Log Type");
    session_ = csv_.find("Session ID");
  }
  bool next(LineReader& lines, TraceRow& row) override {
    const std::optional<Line> line = lines.next();
    if (!line) return false;
    const auto& cells = csv_.cells(*line);
    const double time_s = read_time_s(*line, cells[time_], "Timestamp");
    if (!first_s_) first_s_ = time_s;
    row.arrival_s = time_s - *first_s_;
    row.arrival_text = cells[time_];
    row.prompt_tokens = read_count(*line, cells[prompt_], "prompt tokens", {.min = 0, .max = max_request_tokens});
    row.output_tokens = read_output_tokens(*line, cells[output_]);
    if (row.output_tokens > 0)
      row.prompt_tokens = read_prompt_tokens(*line, cells[prompt_]);  // failed ones may say 0
    row.request_class = cells[type_];
    if (session_) row.session = sessions_.id(cells[*session_]);
    return true;
  }

 private:
  Csv csv_;
  std::size_t time_ = 0, prompt_ = 0, output_ = 0, type_ = 0;
  std::optional<std::size_t> session_;
  std::optional<double> first_s_;
  NamesToIds<SessionId> sessions_;
};

}  // namespace

std::unique_ptr<TraceFormat> make_burstgpt_format() { return std::make_unique<BurstGpt>(); }

}  // namespace servecast
