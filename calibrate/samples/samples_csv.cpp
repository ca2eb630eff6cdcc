#include "calibrate/samples/samples_csv.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <limits>
#include <optional>

#include "models/base/error.h"
#include "models/base/names.h"
#include "sim/input/files/csv.h"
#include "sim/input/files/numbers.h"

namespace servecast {
namespace {

struct TextColumn {
  const char* name;
  std::string Sample::*value;
  bool required;
};
constexpr std::array texts{
    TextColumn{"gpu", &Sample::gpu, true},        TextColumn{"driver", &Sample::driver, false},
    TextColumn{"engine", &Sample::engine, true},  TextColumn{"version", &Sample::version, false},
    TextColumn{"kernel", &Sample::kernel, false}, TextColumn{"operator", &Sample::op, true},
    TextColumn{"dtype", &Sample::dtype, false},   TextColumn{"kv_dtype", &Sample::kv_dtype, false},
    TextColumn{"mode", &Sample::mode, false},
};

struct SizeColumn {
  const char* name;
  std::int64_t KernelShape::*value;
};
constexpr std::array sizes{
    SizeColumn{"m", &KernelShape::m},
    SizeColumn{"n", &KernelShape::n},
    SizeColumn{"k", &KernelShape::k},
    SizeColumn{"sequences", &KernelShape::sequences},
    SizeColumn{"tokens", &KernelShape::tokens},
    SizeColumn{"context", &KernelShape::context},
    SizeColumn{"q_heads", &KernelShape::q_heads},
    SizeColumn{"kv_heads", &KernelShape::kv_heads},
    SizeColumn{"head_dim", &KernelShape::head_dim},
    SizeColumn{"window", &KernelShape::window},
    SizeColumn{"experts", &KernelShape::experts},
    SizeColumn{"top_k", &KernelShape::top_k},
    SizeColumn{"tensor_parallel", &KernelShape::tensor_parallel},
    SizeColumn{"expert_parallel", &KernelShape::expert_parallel},
    SizeColumn{"bytes", &KernelShape::bytes},
    SizeColumn{"ranks", &KernelShape::ranks},
};

struct NumberColumn {
  const char* name;
  double Sample::*value;
};
constexpr std::array numbers{
    NumberColumn{"median_s", &Sample::median_s},
    NumberColumn{"noise_fraction", &Sample::noise_fraction},
    NumberColumn{"clock_mhz", &Sample::clock_mhz},
    NumberColumn{"memory_clock_mhz", &Sample::memory_clock_mhz},
};
constexpr std::int64_t largest_size = std::int64_t{1} << 52;

/// Columns of one file, found once.
class RowReader {
 public:
  explicit RowReader(const Line& first) {
    csv_.read_header(first);
    for (const TextColumn& c : texts) text_at_.push_back(c.required ? csv_.column(c.name) : csv_.find(c.name));
    for (const SizeColumn& c : sizes) size_at_.push_back(csv_.find(c.name));
    count_at_ = csv_.find("count");
    for (const NumberColumn& c : numbers)
      number_at_.push_back(c.value == &Sample::median_s ? csv_.column(c.name) : csv_.find(c.name));
  }

  Sample read(const Line& line) {
    const auto& cells = csv_.cells(line);
    const auto cell = [&](std::optional<std::size_t> at) { return at ? cells[*at] : std::string_view{}; };
    Sample s;
    for (std::size_t i = 0; i < texts.size(); ++i) s.*texts[i].value = cell(text_at_[i]);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (const auto text = cell(size_at_[i]); !text.empty())
        s.shape.*sizes[i].value = read_count(line, text, sizes[i].name, {.min = 0, .max = largest_size});
    if (const auto text = cell(count_at_); !text.empty())
      s.count = read_count(line, text, "count", {.min = 0, .max = largest_size});
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (const auto text = cell(number_at_[i]); !text.empty())
        s.*numbers[i].value = read_number(line, text, numbers[i].name);
    check(line, s, cells[*text_at_[5]], cells[*number_at_[0]]);
    return s;
  }

 private:
  static void check(const Line& line, const Sample& s, std::string_view op, std::string_view median) {
    if (operator_kind(s.op) == nullptr) {
      std::vector<std::string> names;
      for (const OperatorKind& kind : operator_kinds()) names.emplace_back(kind.name);
      line.fail(op, unknown_name("operator", s.op, names));
    }
    if (s.median_s <= 0) line.fail(median, "median_s must be above 0");
  }

  Csv csv_;
  std::vector<std::optional<std::size_t>> text_at_;
  std::vector<std::optional<std::size_t>> size_at_;
  std::optional<std::size_t> count_at_;
  std::vector<std::optional<std::size_t>> number_at_;
};

}  // namespace

std::string sizes_text(const KernelShape& shape) {
  std::string text;
  for (const SizeColumn& c : sizes)
    if (shape.*c.value != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", c.name, shape.*c.value);
  return text;
}

std::string samples_header() {
  std::string line;
  for (const TextColumn& c : texts) line += fmt::format("{},", c.name);
  for (const SizeColumn& c : sizes) line += fmt::format("{},", c.name);
  line += "count";
  for (const NumberColumn& c : numbers) line += fmt::format(",{}", c.name);
  return line + "\n";
}

std::string samples_line(const Sample& s) {
  std::string line;
  for (const TextColumn& c : texts) line += s.*c.value + ",";
  for (const SizeColumn& c : sizes) line += s.shape.*c.value != 0 ? fmt::format("{},", s.shape.*c.value) : ",";
  line += s.count != 0 ? fmt::format("{}", s.count) : "";
  for (const NumberColumn& c : numbers) line += s.*c.value != 0 ? fmt::format(",{}", s.*c.value) : ",";
  return line + "\n";
}

void read_samples(const std::string& file, const std::function<void(Sample&&)>& take) {
  LineReader reader(file);
  const std::optional<Line> first = reader.next();
  if (!first) throw UserError(Place{.file = file}, "is empty; the first line must name the columns");
  RowReader rows(*first);
  while (const std::optional<Line> line = reader.next()) take(rows.read(*line));
}

std::vector<Sample> read_samples(const std::string& file) {
  std::vector<Sample> all;
  read_samples(file, [&](Sample&& sample) { all.push_back(std::move(sample)); });
  return all;
}

SampleWriter::SampleWriter(const std::string& file)
    : file_(file), handle_(gzopen(file.c_str(), file.ends_with(".gz") ? "wb" : "wbT")) {  // T: as it is, unpacked
  if (handle_ == nullptr) throw UserError(Place{.file = file_}, "cannot be written; does the folder exist?");
  put(samples_header());
}

SampleWriter::~SampleWriter() {
  if (handle_ != nullptr) gzclose(handle_);
}

void SampleWriter::put(const std::string& text) {
  failed_ |= gzwrite(handle_, text.data(), static_cast<unsigned>(text.size())) != static_cast<int>(text.size());
}

void SampleWriter::write(const Sample& sample) { put(samples_line(sample)); }

void SampleWriter::close() {
  failed_ |= gzclose(handle_) != Z_OK;
  handle_ = nullptr;
  if (failed_) throw UserError(Place{.file = file_}, "cannot be written to the end; is the disk full?");
}

}  // namespace servecast
