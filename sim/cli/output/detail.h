#pragma once
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engine/run/run.h"
#include "sim/report/csv/detail_csv.h"

namespace servecast {

class OutputFolder;
class PerfettoTrace;

/// The words that `--detail` knows.
inline constexpr std::array<std::string_view, 5> detail_words{"replicas", "links", "flows", "gateway", "steps"};

/// What `--detail` asks for.
struct DetailChoice {
  struct Window {
    double from_s = 0;
    double to_s = std::numeric_limits<double>::infinity();
  };
  bool replicas = false;
  bool links = false;
  bool flows = false;
  bool gateway = false;
  std::optional<Window> steps{};  // those that start in it

  bool any() const { return replicas || links || flows || gateway || steps; }
};

/// "replicas,steps@10:20". Throws UserError where a word is unknown or a window is none.
DetailChoice parse_detail(const std::string& words);

/// Writes the detail files of a run as it goes, and its steps into a Perfetto trace where there is one.
class DetailWriter final : public DetailListener {
 public:
  /// `folder` may be null where the choice is empty, `trace` always.
  DetailWriter(const DetailChoice& choice, const OutputFolder* folder, PerfettoTrace* trace,
               const std::vector<std::string>& pools);

  void platform(const Platform& platform) override;
  bool wants_step(double start_s) override;
  void step(const StepRecord& step, std::span<const StepMember> members) override;
  bool wants_replicas() override { return replicas_ != nullptr; }
  void replica(const ReplicaSample& sample) override { replicas_->add(sample); }
  void flow(const FlowRecord& flow) override;
  void link(const LinkSample& sample) override;
  bool wants_gateway() override { return gateway_ != nullptr; }
  void gateway(const GatewayEvent& event) override { gateway_->add(event); }

  void close();

 private:
  bool in_window(double start_s) const;

  DetailChoice choice_;
  PerfettoTrace* trace_;
  std::string platform_file_;
  std::unique_ptr<ReplicasCsv> replicas_{};
  std::unique_ptr<LinksCsv> links_{};
  std::unique_ptr<FlowsCsv> flows_{};
  std::unique_ptr<GatewayCsv> gateway_{};
  std::unique_ptr<StepsCsv> steps_{};
};

}  // namespace servecast
