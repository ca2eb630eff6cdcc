// Admission "queue_limit": no request is admitted while the queues are full.
//
// Full means `max_waiting_requests` per replica of the pool, waiting anywhere in it: running requests do not count.
// Bounds the wait without knowing it; blind to how long the prompts in the queue are.
//
// What servers call max_queue_size (Triton) or max-queued-requests (SGLang).
#include "models/policy/admission.h"

namespace servecast {
namespace {

class QueueLimit final : public Admission {
 public:
  struct Settings {
    std::int64_t max_waiting_requests = 1;
    void fields(Fields& f) {
      f.required("max_waiting_requests", max_waiting_requests, "per replica, averaged over the pool", at_least_one);
    }
  };
  explicit QueueLimit(const Settings& settings) : settings_(settings) {}

  bool reads_kv() const override { return false; }
  bool admits(const Request&, const ReplicaViews& replicas) override {
    std::int64_t waiting = 0;
    for (const ReplicaView& r : replicas) waiting += r.waiting_requests;
    return waiting < settings_.max_waiting_requests * static_cast<std::int64_t>(replicas.size());
  }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<Admission>::add<QueueLimit>("queue_limit", "only while fewer than so many requests wait per replica");

}  // namespace
}  // namespace servecast
