#pragma once
#include <string>
#include <vector>

#include "gui/data/report/csv_columns.h"
#include "gui/data/report/mapped_file.h"
#include "sim/report/record/platform.h"

namespace servecast::gui {

// The files that `servecast run --detail` adds to a report, by column. Each throws UserError as CsvColumns does.

/// replicas.csv: rows of one second stand together, in order of time.
struct ReplicaSamples {
  Column time_s{}, replica{}, running{}, waiting{}, kv_used_fraction{}, busy_fraction{};
  Words state{};  // "serving", "broken", ...; empty in reports of earlier versions

  std::size_t size() const { return time_s.size(); }
  /// Rows [first, second) of the second that `time_s` lies in.
  std::pair<std::size_t, std::size_t> rows_at(double time) const;
  /// All rows of one replica, in order of time.
  std::vector<std::size_t> rows_of(double which) const;
};
ReplicaSamples read_replicas(const std::string& file);

/// links.csv, sorted by time.
struct LinkSamples {
  Words link{};
  Column time_s{}, bytes{}, used_fraction{};
  std::vector<std::uint32_t> by_time{};  // rows in order of time

  /// Share of its capacity that each link used in the second of `time`; same order as link.names.
  std::vector<double> used_at(double time) const;
};
LinkSamples read_links(const std::string& file);

/// flows.csv, but for the links that a flow crossed: they are read when asked for.
struct Flows {
  MappedFile file;
  Words kind{}, from{}, to{};
  std::vector<std::uint64_t> links_at{};
  Column flow{}, bytes{}, start_s{}, end_s{};

  std::size_t size() const { return flow.size(); }
  bool crosses(std::size_t row, std::string_view link) const;
};
Flows read_flows(const std::string& file);

/// steps.csv, but for its last column: members of a step are read when asked for.
struct Steps {
  MappedFile file;
  Words pool{};
  Column replica{}, start_s{}, end_s{}, decode_sequences{}, prefill_sequences{}, prefill_tokens{}, used_blocks{};
  std::vector<std::uint64_t> members_at{};

  std::size_t size() const { return start_s.size(); }
};
Steps read_steps(const std::string& file);

/// One request's share of a step.
struct StepShare {
  std::int64_t request = 0;
  std::int64_t tokens = 0;
};

/// All sequences in a step ("id:tokens id:tokens").
std::vector<StepShare> members_of(const Steps& steps, std::size_t row);

/// platform.json.
Platform read_platform(const std::string& file);

}  // namespace servecast::gui
