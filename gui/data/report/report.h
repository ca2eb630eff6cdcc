#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/data/report/detail.h"
#include "gui/data/report/requests.h"
#include "gui/data/report/series.h"
#include "sim/report/figures/replicates.h"
#include "sim/report/summary/summary.h"

namespace servecast::gui {

/// A report folder (docs/report.md), read.
class Report {
 public:
  /// `version`: of this program. Throws UserError where a file that every report has is missing, cut short or of
  /// another shape.
  Report(const std::string& folder, const std::string& version);

  std::string folder{};
  std::string label{};   // the folder's own name
  std::string notice{};  // empty, or what the reader should know: written by a newer version, a detail left out
  Summary summary{};
  std::optional<Interval> interval{};  // with --replicates
  Requests requests{};
  std::vector<PoolSeries> series{};
  std::optional<Platform> platform{};  // these three: with --detail
  std::optional<ReplicaSamples> replicas{};
  std::optional<LinkSamples> links{};
  std::optional<Flows> flows{};

  /// steps.csv, read when first asked for: it may be large. None without --detail steps.
  const Steps* steps();

 private:
  std::string file(const std::string& name) const { return folder + "/" + name; }
  template <class T, class Read>
  void read_if_there(std::optional<T>& into, const std::string& name, Read read);

  std::optional<Steps> steps_{};
  bool looked_for_steps_ = false;
};

/// Whether version `a` ("1.2.3") is later than `b`.
bool later_version(const std::string& a, const std::string& b);

}  // namespace servecast::gui
