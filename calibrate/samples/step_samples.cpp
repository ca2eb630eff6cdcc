#include "calibrate/samples/step_samples.h"

#include <fmt/format.h>

#include <array>

#include "models/base/error.h"
#include "sim/input/files/csv.h"
#include "sim/input/files/numbers.h"

namespace servecast {
namespace {

struct Text {
  const char* name;
  std::string& (*of)(StepSample&);
};
struct Count {
  const char* name;
  std::int64_t& (*of)(StepSample&);
  std::int64_t least;
};
struct Number {
  const char* name;
  double& (*of)(StepSample&);
};
constexpr std::array step_texts{Text{"gpu", [](StepSample& s) -> std::string& { return s.gpu; }},
                                Text{"driver", [](StepSample& s) -> std::string& { return s.driver; }},
                                Text{"version", [](StepSample& s) -> std::string& { return s.version; }},
                                Text{"llm", [](StepSample& s) -> std::string& { return s.model.llm; }}};
constexpr std::array step_counts{
    Count{"layers", [](StepSample& s) -> std::int64_t& { return s.model.layers; }, 1},
    Count{"tensor_parallel", [](StepSample& s) -> std::int64_t& { return s.model.tensor_parallel; }, 1},
    Count{"decodes", [](StepSample& s) -> std::int64_t& { return s.shape.decodes; }, 0},
    Count{"decode_context", [](StepSample& s) -> std::int64_t& { return s.shape.decode_context; }, 0},
    Count{"prompts", [](StepSample& s) -> std::int64_t& { return s.shape.prompts; }, 0},
    Count{"prompt_tokens", [](StepSample& s) -> std::int64_t& { return s.shape.prompt_tokens; }, 0},
    Count{"prompt_prefix", [](StepSample& s) -> std::int64_t& { return s.shape.prompt_prefix; }, 0},
    Count{"count", [](StepSample& s) -> std::int64_t& { return s.count; }, 1}};
constexpr std::array step_numbers{Number{"median_s", [](StepSample& s) -> double& { return s.median_s; }},
                                  Number{"noise_fraction", [](StepSample& s) -> double& { return s.noise_fraction; }},
                                  Number{"clock_mhz", [](StepSample& s) -> double& { return s.clock_mhz; }}};
constexpr std::int64_t largest_count = std::int64_t{1} << 40;

std::string header() {
  std::string line;
  for (const Text& c : step_texts) line += fmt::format("{},", c.name);
  for (const Count& c : step_counts) line += fmt::format("{},", c.name);
  return line + "median_s,noise_fraction,clock_mhz\n";
}

StepSample sample_of(const Csv& csv, const Line& line, const std::vector<std::string_view>& cells) {
  StepSample s;
  for (const Text& c : step_texts) c.of(s) = cells[csv.column(c.name)];
  for (const Count& c : step_counts)
    c.of(s) = read_count(line, cells[csv.column(c.name)], c.name, {.min = c.least, .max = largest_count});
  for (const Number& c : step_numbers) c.of(s) = read_number(line, cells[csv.column(c.name)], c.name);
  if (s.median_s <= 0) line.fail(cells[csv.column("median_s")], "median_s must be above 0");
  return s;
}

}  // namespace

std::string text_of(const StepShape& s) {
  std::string text;
  if (s.decodes > 0) text = fmt::format("{} decodes of {}", s.decodes, s.decode_context);
  if (s.prompts == 0) return text;
  text += fmt::format("{}{} prompt{} of {}", text.empty() ? "" : ", ", s.prompts, s.prompts > 1 ? "s" : "",
                      s.prompt_tokens);
  return s.prompt_prefix > 0 ? text + fmt::format(" behind {}", s.prompt_prefix) : text;
}

std::vector<StepSample> read_step_samples(const std::string& file) {
  LineReader reader(file);
  const std::optional<Line> first = reader.next();
  if (!first) throw UserError(Place{.file = file}, "is empty; the first line must name the columns");
  Csv csv;
  csv.read_header(*first);
  std::vector<StepSample> all;
  while (const std::optional<Line> line = reader.next()) {
    const auto& cells = csv.cells(*line);
    all.push_back(sample_of(csv, *line, {cells.begin(), cells.end()}));
  }
  return all;
}

StepSampleLog::StepSampleLog(const std::string& file) : rows_(file, header()) {
  if (rows_.found()) found_ = read_step_samples(file);
}

void StepSampleLog::write(const StepSample& sample) {
  StepSample s = sample;
  std::string line;
  for (const Text& c : step_texts) line += c.of(s) + ",";
  for (const Count& c : step_counts) line += fmt::format("{},", c.of(s));
  rows_.put(line + fmt::format("{},{},{}\n", s.median_s, s.noise_fraction, s.clock_mhz));
}

}  // namespace servecast
