#include "sim/input/trace/generate/histogram_file.h"

#include <algorithm>

#include "models/base/error.h"
#include "sim/input/files/csv.h"
#include "sim/input/files/numbers.h"

namespace servecast {

HistogramSpec read_histogram(const std::string& file) {
  LineReader lines(file);
  const std::optional<Line> header = lines.next();
  if (!header) throw UserError(Place{.file = file}, "is empty; a histogram has the columns value,weight");
  Csv csv;
  csv.read_header(*header);
  const std::size_t value = csv.column("value");
  const std::size_t weight = csv.column("weight");
  HistogramSpec histogram;
  while (const std::optional<Line> line = lines.next()) {
    const auto& cells = csv.cells(*line);
    histogram.values.push_back(read_number(*line, cells[value], "a value"));
    histogram.weights.push_back(read_number(*line, cells[weight], "a weight"));
  }
  if (std::ranges::none_of(histogram.weights, [](double w) { return w > 0; }))
    throw UserError(Place{.file = file}, "has no row with a weight above zero");
  return histogram;
}

}  // namespace servecast
