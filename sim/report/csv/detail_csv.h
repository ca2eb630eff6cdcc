#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/record.h"
#include "sim/report/csv/csv_column.h"

namespace servecast {

// The files that --detail adds. Each writer takes rows as they come and keeps none; call close() at the end.

struct StepCells {
  const StepRecord* record;
  std::string_view pool;
  std::string_view members;
};

/// steps.csv: every step, and its members ("id:tokens id:tokens").
class StepsCsv {
 public:
  StepsCsv(const std::string& file, std::vector<std::string> pools);
  void add(const StepRecord& step, std::span<const StepMember> members);
  void close() { csv_.close(); }
  static CsvFile described();

 private:
  CsvTable<StepCells> csv_;
  std::vector<std::string> pools_;  // names, by PoolId
  std::string who_{};
};

/// A replica at an instant, or over the second that begins there.
struct ReplicaSample {
  double time_s = 0;
  ReplicaId replica{};
  PoolId pool{};
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  double kv_used_fraction = 0;
  double busy_fraction = 0;
  std::string_view state = "serving";  // or starting, draining, warm, off, broken
};

struct ReplicaCells {
  const ReplicaSample* record;
  std::string_view pool;
};

class ReplicasCsv {
 public:
  ReplicasCsv(const std::string& file, std::vector<std::string> pools);
  void add(const ReplicaSample& sample) { csv_.add({&sample, pools_[index(sample.pool)]}); }
  void close() { csv_.close(); }
  static CsvFile described();

 private:
  CsvTable<ReplicaCells> csv_;
  std::vector<std::string> pools_;
};

/// What went over a link during the second that begins at `time_s`.
struct LinkSample {
  std::string_view link{};  // its name in platform.json
  double time_s = 0;
  double bytes = 0;
  double used_fraction = 0;  // of its capacity
};

class LinksCsv : public CsvTable<LinkSample> {
 public:
  explicit LinksCsv(const std::string& file);
  static CsvFile described();
};

/// One transfer, from its start to its last byte.
struct FlowRecord {
  std::int64_t flow = 0;    // number, from 0
  std::string_view kind{};  // e.g. "kv_hand_over", "weight_load"
  std::string_view from{};  // names of platform.json
  std::string_view to{};
  std::string_view links{};  // that it crossed, with spaces between
  double bytes = 0;
  double start_s = 0;
  double end_s = 0;
};

class FlowsCsv : public CsvTable<FlowRecord> {
 public:
  explicit FlowsCsv(const std::string& file);
  static CsvFile described();
};

/// What the gateway did: each stage's work on each request, and each LLM call that went to a target.
class GatewayCsv : public CsvTable<GatewayEvent> {
 public:
  explicit GatewayCsv(const std::string& file);
  static CsvFile described();
};

}  // namespace servecast
