// Queue "priority": the request with the smallest priority number first, equals by arrival; where memory is short,
// the running request with the largest number is preempted, of equals the last admitted (vLLM's scheduling policy
// "priority").
//
// A request that runs is not stopped for a more urgent one that waits. Requests with large numbers can starve.
#include "models/policy/shared/ranked_queue.h"

namespace servecast {
namespace {

class Priority final : public RankedQueue {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit Priority(const Settings&) {}

  RequestNeeds needs() const override { return {.priority = true}; }
  std::int32_t preemption_rank(const Request& request) const override { return request.priority; }

 private:
  double rank(const Request& request) const override { return request.priority; }
};

[[maybe_unused]] const bool added =
    Registry<WaitingQueue>::add<Priority>("priority", "smallest priority number first; preempts the largest");

}  // namespace
}  // namespace servecast
