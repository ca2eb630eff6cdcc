#pragma once
#include <span>
#include <string>

#include "calibrate/servers/measured_server.h"

namespace servecast {

struct ComparedFigure;

/// What the pages are made of.
struct AccuracyInput {
  std::span<const ComparedFigure> figures{};
  std::span<const ExcludedRow> left_out{};
  std::string fitted_on{};  // Markdown
};

/// Markdown: what was asked of each regime and what forecasts reach, on rows that nothing was fitted on and on those
/// that terms were; the verdict on overloaded servers; knees; how far runs of one setting lie apart; NVIDIA's
/// planner.
std::string accuracy_summary(const AccuracyInput& input);

/// Markdown: what is fitted on which systems.
std::string split_page(const AccuracyInput& input);

/// Markdown: rows of which no forecast can be made, and what is missing. Empty where there are none.
std::string no_forecast_page(const AccuracyInput& input);

/// Markdown: all figures of one regime; by model, GPU and engine; known gaps. Empty where no figure is of it.
std::string regime_page(Regime regime, std::span<const ComparedFigure> figures);

}  // namespace servecast
