// Queue "fcfs": first come, first served; preempted requests before all others. What vLLM does by default.
#include <algorithm>
#include <deque>

#include "models/policy/queue.h"

namespace servecast {
namespace {

class Fcfs final : public WaitingQueue {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit Fcfs(const Settings&) {}

  std::size_t size() const override { return tickets_.size(); }
  Ticket front() const override { return tickets_.front(); }
  void push(Ticket ticket, const Request&) override { tickets_.push_back(ticket); }
  void push_front(Ticket ticket, const Request&) override { tickets_.push_front(ticket); }
  void erase(Ticket ticket, const Request&) override {
    if (tickets_.front() == ticket)
      tickets_.pop_front();
    else
      tickets_.erase(std::ranges::find(tickets_, ticket));
  }

 private:
  std::deque<Ticket> tickets_;
};

[[maybe_unused]] const bool added = Registry<WaitingQueue>::add<Fcfs>("fcfs", "first come, first served");

}  // namespace
}  // namespace servecast
