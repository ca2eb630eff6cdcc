#include "gui/data/residuals.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace servecast::gui {
namespace {

/// The smallest value that `part` of the values do not exceed (nearest rank); absent without any.
double quantile(std::vector<double> values, double part) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::ranges::nth_element(values, at);
  return *at;
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
    errors[op].median = quantile(sizes, 0.5);
    errors[op].p90 = quantile(sizes, 0.9);
    errors[op].bias = quantile(signed_errors[op], 0.5);
  }
  return errors;
}

}  // namespace servecast::gui
