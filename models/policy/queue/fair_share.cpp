// Queue "fair_share": the client that was served least goes first, its own requests by arrival (virtual token
// counter, Sheng et al., OSDI 2024, algorithm 2).
//
// Each client's counter grows by `prompt_weight` for every prompt token when a request is admitted and by
// `output_weight` for every output token made. A client that comes back after a pause starts no lower than the least
// served client that waits, or where none waits, than the one that left the queue last: no client saves up.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "models/policy/queue.h"

namespace servecast {
namespace {

class FairShare final : public WaitingQueue {
 public:
  struct Settings {
    double prompt_weight = 1;
    double output_weight = 2;
    void fields(Fields& f) {
      f.field("prompt_weight", prompt_weight, "what a prompt token counts");
      f.field("output_weight", output_weight, "what an output token counts");
    }
  };
  explicit FairShare(const Settings& settings) : settings_(settings) {}

  RequestNeeds needs() const override { return {.client = true}; }
  std::size_t size() const override { return size_; }
  Ticket front() const override { return clients_.at(waiting_.begin()->second).tickets.front(); }

  void push(Ticket ticket, const Request& request) override {
    Client& client = join(request.client);
    client.tickets.push_back(ticket);
  }
  void push_front(Ticket ticket, const Request& request) override {
    Client& client = join(request.client);
    client.tickets.push_front(ticket);
  }
  void erase(Ticket ticket, const Request& request) override {
    Client& client = clients_.at(request.client);
    client.tickets.erase(std::ranges::find(client.tickets, ticket));
    --size_;
    last_left_ = request.client;
    if (client.tickets.empty()) waiting_.erase({counter(client), request.client});
  }

  bool counts_service() const override { return true; }
  void served(const Request& request, std::int64_t prompt_tokens, std::int64_t output_tokens) override {
    Client& client = clients_[request.client];
    const double before = counter(client);
    client.prompt_tokens += prompt_tokens;
    client.output_tokens += output_tokens;
    if (client.tickets.empty()) return;
    waiting_.erase({before, request.client});
    waiting_.insert({counter(client), request.client});
  }

 private:
  struct Client {
    std::int64_t prompt_tokens = 0;
    std::int64_t output_tokens = 0;
    double lifted = 0;  // for pauses
    std::deque<Ticket> tickets{};
  };

  // From whole sums, so that it does not depend on how often they are reported.
  double counter(const Client& c) const {
    return c.lifted + settings_.prompt_weight * static_cast<double>(c.prompt_tokens) +
           settings_.output_weight * static_cast<double>(c.output_tokens);
  }

  Client& join(ClientId id) {
    Client& client = clients_[id];
    if (client.tickets.empty()) {
      const double floor = waiting_.empty() ? counter(clients_[last_left_]) : waiting_.begin()->first;
      client.lifted += std::max(0.0, floor - counter(client));
      waiting_.insert({counter(client), id});
    }
    ++size_;
    return client;
  }

  Settings settings_;
  std::map<ClientId, Client> clients_;
  std::set<std::pair<double, ClientId>> waiting_;  // clients with requests here, by counter
  ClientId last_left_{};
  std::size_t size_ = 0;
};

[[maybe_unused]] const bool added =
    Registry<WaitingQueue>::add<FairShare>("fair_share", "the client that was served least first");

}  // namespace
}  // namespace servecast
