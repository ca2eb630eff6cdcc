#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/runs/evaluator.h"
#include "sim/plan/runs/forked_evaluator.h"
#include "sim/reproduce/reproduction.h"

namespace servecast {

/// A figure of a published system with ours.
struct ReproducedRow {
  PaperRow row{};
  std::optional<double> ours{};
  std::string why_not{};  // where there is none
};

struct ReproducedSystem {
  std::string id{}, title{}, source{};
  std::vector<ReproducedRow> rows{};
  bool example = false;
};

enum class PaperVerdict { told, holds, missed, new_miss, missed_no_longer, not_run };
/// A miss is new where the row does not say why, and no longer one where it does and the figure lies in its band.
PaperVerdict verdict_of(const ReproducedRow& row);

struct ReproduceOptions {
  std::string traces{};  // the folder of public traces; empty: none
  std::size_t at_a_time = 1;
  std::function<void(const RunsProgress&)> progress{};
  std::function<bool()> stop{};
};

/// Leaves out rows whose probes are slow.
std::vector<PaperSystem> quick_rows(std::vector<PaperSystem> systems);
/// Those of the ids. Throws UserError for another one.
std::vector<PaperSystem> systems_called(const std::vector<std::string>& ids);

/// Simulates what their figures need, each probe in child processes. Throws Stopped, and UserError where a run fails.
std::vector<ReproducedSystem> reproduce(const std::vector<PaperSystem>& systems, const ReproduceOptions& options);

}  // namespace servecast
