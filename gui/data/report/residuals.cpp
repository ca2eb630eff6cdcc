#include "gui/data/report/residuals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/data/report/mapped_file.h"
#include "models/base/quantile.h"

namespace servecast::gui {
namespace {

/// By nearest rank; absent without any.
double quantile_or_nan(const std::vector<double>& values, double q) {
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : quantile(values, q);
}

}  // namespace

Residuals read_residuals(const std::string& file) {
  Residuals r;
  Words profile;
  CsvColumns csv;
  csv.words("profile", profile);
  csv.words("operator", r.op);
  csv.words("shape", r.shape);
  csv.number("measured_s", r.measured_s);
  csv.number("fitted_s", r.fitted_s);
  csv.number("held_out", r.held_out);
  csv.number("extrapolated", r.extrapolated);
  csv.read(MappedFile(file));
  if (!profile.empty()) r.profile = profile[0];
  return r;
}

std::vector<OperatorError> errors_of(const Residuals& residuals) {
  std::vector<OperatorError> errors(residuals.op.names.size());
  std::vector<std::vector<double>> signed_errors(errors.size());
  for (std::size_t row = 0; row < residuals.size(); ++row) {
    const std::size_t op = residuals.op.code[row];
    if (residuals.held_out[row] != 0)
      signed_errors[op].push_back(residuals.error(row));
    else
      errors[op].fitted += 1;
  }
  for (std::size_t op = 0; op < errors.size(); ++op) {
    std::vector<double> sizes = signed_errors[op];
    for (double& error : sizes) error = std::abs(error);
    errors[op].op = op;
    errors[op].held_out = sizes.size();
    errors[op].median = quantile_or_nan(sizes, 0.5);
    errors[op].p90 = quantile_or_nan(sizes, 0.9);
    errors[op].bias = quantile_or_nan(signed_errors[op], 0.5);
  }
  return errors;
}

}  // namespace servecast::gui
