// Queue "earliest_deadline": the request whose first token is wanted soonest goes first; with a prefill rate, the one
// with the least slack: its deadline less the time that its prompt takes.
//
// Deadlines come with the requests (`ttft_deadline_s` of the workload); those without come last.
#include "models/policy/shared/ranked_queue.h"

namespace servecast {
namespace {

class EarliestDeadline final : public RankedQueue {
 public:
  struct Settings {
    double prompt_token_s = 0;
    void fields(Fields& f) {
      f.field("prompt_token_s", prompt_token_s,
              "time that computing one prompt token takes: above 0, the least slack goes first");
    }
  };
  explicit EarliestDeadline(const Settings& settings) : settings_(settings) {}

  RequestNeeds needs() const override { return {.deadline = true}; }

 private:
  double rank(const Request& request) const override {
    return request.deadline_s - settings_.prompt_token_s * static_cast<double>(request.prompt_tokens);
  }
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<WaitingQueue>::add<EarliestDeadline>("earliest_deadline", "earliest deadline, or least slack, first");

}  // namespace
}  // namespace servecast
