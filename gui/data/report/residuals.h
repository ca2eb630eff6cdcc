#pragma once
#include <string>
#include <vector>

#include "gui/data/report/csv_columns.h"

namespace servecast::gui {

/// Measured shapes beside their fitted times, by row of residuals.csv (`servecast-calibrate residuals`).
struct Residuals {
  std::string profile{};  // its title
  Words op{};             // operator, in its flavour
  Words shape{};          // "m 4096, n 8192, k 1024"
  Column measured_s{};
  Column fitted_s{};
  Column held_out{};  // 1: the fit has not seen it
  Column extrapolated{};

  std::size_t size() const { return measured_s.size(); }
  /// fitted / measured - 1
  double error(std::size_t row) const { return fitted_s[row] / measured_s[row] - 1; }
};

/// Throws UserError where the file is missing, cut short or of another shape.
Residuals read_residuals(const std::string& file);

/// How far one operator is off: |fitted / measured - 1|, on the shapes held out of the fit.
struct OperatorError {
  std::size_t op = 0;  // index into Residuals::op.names
  std::size_t fitted = 0;
  std::size_t held_out = 0;
  double median = 0;  // these three absent (NaN) where nothing was held out
  double p90 = 0;
  double bias = 0;  // median of fitted / measured - 1
};

/// By operator, in the file's order.
std::vector<OperatorError> errors_of(const Residuals& residuals);

}  // namespace servecast::gui
