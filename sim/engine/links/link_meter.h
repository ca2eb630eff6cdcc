#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/engine/links/flows.h"

namespace servecast {

struct DetailListener;
struct Platform;

/// Bytes over each link and second. The network reports when a flow begins and ends, not how fast it went between;
/// the rates are worked out again here, as max-min fair shares of the flows under way (progressive filling: Bertsekas
/// and Gallager, Data Networks, §6.5.2). What is left of a flow when its end is noticed counts in its last second.
class LinkMeter final : public FlowListener {
 public:
  explicit LinkMeter(const Platform& platform);

  void begins(const Transfer& transfer, double now_s) override;
  void ended(const Transfer& transfer, double now_s) override;
  void cancelled(const Transfer& transfer, double now_s) override;
  void set_speed(std::size_t link, double bytes_per_s, double now_s) override;
  void report(DetailListener& listener) const;

 private:
  struct Flow {
    const Transfer* transfer = nullptr;
    double left_bytes = 0;
    double bytes_per_s = 0;
  };
  void advance(double now_s);
  void share_links();
  std::vector<Flow>::iterator find(const Transfer& transfer);
  void carry(Flow& flow, double bytes, double from_s, double to_s);

  const Platform& platform_;
  std::vector<double> bytes_per_s_{};  // by link, as it is now
  std::vector<Flow> flows_{};          // under way
  bool shared_ = false;                // their rates are known
  double now_s_ = 0;
  std::map<std::pair<std::size_t, std::int64_t>, double> bytes_{};  // by link and second
};

}  // namespace servecast
