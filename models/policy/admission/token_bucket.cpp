// Admission "token_bucket": every client has a budget that refills at a constant rate, up to a burst.
//
// A request is taken on while its client's bucket holds what it costs: 1, or its prompt tokens. Buckets start full.
// Good to keep one tenant from taking the capacity of the others. Blind to load: it turns requests away while GPUs
// idle, and lets all clients together overrun the pool. Requests without a client share one bucket. A prompt above
// `burst` is never admitted; output is not charged, since its length is not known at admission.
//
// What API gateways do (requests and tokens per minute); Turner, "New directions in communications", 1986.
#include <algorithm>
#include <unordered_map>

#include "models/policy/admission.h"

namespace servecast {
namespace {

class TokenBucket final : public Admission {
 public:
  struct Settings {
    double rate_per_s = 1;
    double burst = 1;
    std::string unit = "requests";
    void fields(Fields& f) {
      f.required("rate_per_s", rate_per_s, "what a client gets back every second", positive);
      f.required("burst", burst, "the most that a client can have saved", at_least_one);
      f.field("unit", unit, "what is counted", {"requests", "prompt_tokens"});
    }
  };
  explicit TokenBucket(const Settings& settings)
      : settings_(settings), by_tokens_(settings.unit == "prompt_tokens") {}

  RequestNeeds needs() const override { return {.client = true}; }
  bool reads_state() const override { return false; }
  bool admits(const Request& request, const ReplicaViews&) override {
    Bucket& bucket = bucket_of(request.client);
    const double passed_s = std::max(0.0, request.arrival_s - bucket.filled_s);
    bucket.level = std::min(settings_.burst, bucket.level + settings_.rate_per_s * passed_s);
    bucket.filled_s = std::max(bucket.filled_s, request.arrival_s);
    const double cost = by_tokens_ ? static_cast<double>(request.prompt_tokens) : 1;
    if (bucket.level < cost) return false;
    bucket.level -= cost;
    return true;
  }

 private:
  struct Bucket {
    double level = 0;
    double filled_s = 0;
  };
  Bucket& bucket_of(ClientId client) {
    return buckets_.try_emplace(client, Bucket{.level = settings_.burst}).first->second;
  }

  Settings settings_;
  bool by_tokens_;
  std::unordered_map<ClientId, Bucket> buckets_;  // looked up, never walked through
};

[[maybe_unused]] const bool added =
    Registry<Admission>::add<TokenBucket>("token_bucket", "a budget per client that refills at a constant rate");

}  // namespace
}  // namespace servecast
