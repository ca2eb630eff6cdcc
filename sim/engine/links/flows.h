#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace servecast {

/// The way from one part to another: the links that a flow shares with others, and the delay of its first byte.
struct Path {
  std::vector<std::size_t> links{};  // into Platform::links; none: a delay is all there is
  double latency_s = 0;
};

/// One transfer to be made: which way, and how much.
struct Transfer {
  std::string kind{};  // e.g. "weight_load"
  std::string from{};
  std::string to{};
  Path path{};
  double bytes = 0;
  std::string basis{};  // of a copy: what its time rests on (TransferLaw::basis)
};

struct FinishedTransfer {
  const Transfer* transfer = nullptr;
  double start_s = 0;
  double end_s = 0;
};

struct EndedFlow {
  std::int64_t flow = 0;
  double clock_s = 0;
};

/// Makes the transfers and knows how flows share links: the network.
class FlowCarrier {
 public:
  virtual ~FlowCarrier() = default;
  /// The first byte of the flow leaves now. The carrier reports when the last one has arrived.
  virtual void begin(std::int64_t flow, const Transfer& transfer) = 0;
  /// A flow under way is broken off: it takes nothing of its links any more. The carrier may still report its end.
  virtual void cancel(std::int64_t flow) = 0;
  /// From now on a link carries so much.
  virtual void set_speed(std::size_t link, double bytes_per_s) = 0;
};

/// Hears when a flow's first byte leaves, before the carrier does, and when its end is noticed or it is broken off.
class FlowListener {
 public:
  virtual ~FlowListener() = default;
  virtual void begins(const Transfer& transfer, double now_s) = 0;
  virtual void ended(const Transfer& transfer, double now_s) = 0;
  virtual void cancelled(const Transfer& transfer, double now_s) { ended(transfer, now_s); }
  /// From now on a link carries so much.
  virtual void set_speed(std::size_t /*link*/, double /*bytes_per_s*/, double /*now_s*/) {}
};

/// Transfers over shared links, started at any instant of the run. Knows no SimGrid: it keeps what waits for its
/// time, hands it to the carrier when that has come, and reports the end to the part that started it.
///
/// Times are our own: an end is taken from the carrier's clock, which may be off by 1e-9 s (SimGrid merges instants
/// closer than that, and its clock is a sum of rounded differences), so it is noticed at the next whole 2^-20 s,
/// about a microsecond. Then it does not matter what else was due around it.
class Flows {
 public:
  using Done = std::function<void(double now_s)>;
  using Observer = std::function<void(std::int64_t flow, const FinishedTransfer&)>;

  /// Without a carrier nothing may be started.
  void set_carrier(FlowCarrier& carrier) { carrier_ = &carrier; }
  /// Hears of every flow when it has ended.
  void set_observer(Observer observer) { observer_ = std::move(observer); }

  /// May start flows when it hears of one.
  void add_listener(FlowListener& listener) { listeners_.push_back(&listener); }

  /// These leave at `at_s`, which is not in the past, all at once; `done` is called when the last of them has
  /// arrived. Returns the number of the group.
  std::int64_t start(std::vector<Transfer> transfers, double at_s, Done done);
  /// Breaks off what is left of a group: its end is not reported, and listeners hear nothing. Does nothing
  /// where the last byte has arrived.
  void cancel(std::int64_t group, double now_s);
  /// No part that started one still waits.
  bool idle() const { return flows_.empty(); }
  /// No flow moves, as long as no link is mended.
  bool all_cut() const;

  /// The next instant at which a flow begins or its end is noticed.
  double next_s() const;
  /// Within an instant: ends come between the steps that end and the requests that arrive, in the order in which the
  /// flows were started; flows begin last. Whether any has ended.
  bool report_ended(double now_s);
  void begin_due(double now_s);
  /// A link lets nothing through: flows under way stand still, others do not begin before all of their path is
  /// mended.
  void cut(std::size_t link, double now_s);
  void mend(std::size_t link, double bytes_per_s, double now_s);
  /// From the carrier.
  void ended(const EndedFlow& flow);

 private:
  struct Group {  // flows that were started together
    std::int64_t left = 0;
    Done done{};
  };
  struct Flow {
    Transfer transfer{};
    std::int64_t group = 0;
    double start_s = 0;
    bool under_way = false;  // the carrier has it
  };
  struct Due {
    double at_s = 0;
    std::int64_t flow = 0;
    bool operator<(const Due& other) const {  // the earliest on top
      return std::tie(at_s, flow) > std::tie(other.at_s, other.flow);
    }
  };
  bool is_cut(const Path& path) const;
  void set_speed(std::size_t link, double bytes_per_s, double now_s);
  void end(std::int64_t number, double now_s);

  FlowCarrier* carrier_ = nullptr;
  std::vector<FlowListener*> listeners_{};
  Observer observer_{};
  std::int64_t started_ = 0;
  std::map<std::int64_t, Flow> flows_;    // by number: their order of starting
  std::map<std::int64_t, Group> groups_;  // by the number of their first flow
  // Numbers of flows that were broken off stay in what follows.
  std::priority_queue<Due> beginning_;  // they have their latency behind them then
  std::priority_queue<Due> ending_;
  std::set<std::size_t> cut_;          // links
  std::vector<std::int64_t> held_up_;  // flows that would have begun
};

}  // namespace servecast
