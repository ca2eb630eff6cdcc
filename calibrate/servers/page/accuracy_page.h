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

/// Markdown: every regime's medians against what was asked, on rows that nothing was fitted on and on those that
/// terms were; the verdict on overloaded servers; the split; what no forecast can be made of.
std::string accuracy_summary(const AccuracyInput& input);

/// Markdown: one regime by model, GPU and engine. Empty where no figure is of it.
std::string regime_page(Regime regime, std::span<const ComparedFigure> figures);

}  // namespace servecast
