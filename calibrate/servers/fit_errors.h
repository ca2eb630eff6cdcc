#pragma once
#include <span>
#include <string>
#include <vector>

#include "models/hw/engine/calibration_error.h"

namespace servecast {

struct ComparedFigure;

/// Kinds of pools whose errors are kept apart: those of an engine that have `least_figures` of their own are an
/// entry of its file, then each layout as a whole, then all others. Figures are those of the systems set aside for it
/// (read/error_split.h), with the intervals that the spreads of kernels alone give.
///
/// Steps: quantiles of the logarithm of TPOT measured over forecast, of tokens/s where no TPOT is known. First token:
/// those of mean TTFT, less what steps and stalls explain of it. A spread that kernels or steps explain is taken off
/// in squares, side by side. Stalls: from how much more of P99 than of the mean is missing; in these closed loops P99
/// is a request of the slowest tenth of the slowest tenth (each client sends ten), to which an exponential adds ln 10
/// = 2.3 of its means. A system's weight is that of its rows, but of no more than 10. Both are
/// those of a system that is none of the fitted ones, pulled to those of all pools of the engine (of layout one,
/// where the entry is): residuals.h. Few systems do not show how systems differ, so that those of all other engines
/// among `figures` count, too.
///
/// Open loads have entries of their own where enough of them was measured. Their queues are simulated, so that first
/// tokens are fitted below the knee (ComparedFigure::beyond_knee), less the queue, and pulled to those of all open
/// loads; their tokens/s tell of steps beyond the knee alone, since arrivals set them below.
///
/// Ranges hold 1, so that no interval leaves its forecast out.
std::vector<CalibrationError> fit_errors(std::span<const ComparedFigure> figures, const std::string& engine);

/// An engine file's text without its errors, which come last: what is before them is written by hand. They may be
/// those of another version of the program, which this one cannot read, and their fit is what mends that.
std::string without_errors(const std::string& file);

/// The part `errors:` of an engine file.
std::string errors_yaml(std::span<const CalibrationError> errors);

}  // namespace servecast
