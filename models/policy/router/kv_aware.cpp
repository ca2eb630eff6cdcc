// Router "kv_aware": to the replica that holds the longest beginning of the prompt, if that is nearly the whole.
//
// "Nearly" is all but `threshold_tokens`. A replica that holds too little loses to consistent hashing of the session
// (see "session"). Good for long contexts that are asked again and again. Bad under load: the replica that holds a
// hot prefix gets every request that wants it, however long its queue is.
//
// vLLM production-stack, routing logic "kvaware", which asks LMCache's controller; threshold 2,000 tokens.
#include "models/policy/shared/session_ring.h"

namespace servecast {
namespace {

class KvAware final : public Router {
 public:
  struct Settings {
    std::int64_t threshold_tokens = 2000;
    void fields(Fields& f) {
      f.field("threshold_tokens", threshold_tokens, "prompt tokens that may be missing in the best replica's cache");
    }
  };
  explicit KvAware(const Settings& settings) : settings_(settings) {}

  RequestNeeds needs() const override { return {.client = true}; }
  std::optional<Route> pick(const Request& request, const ReplicaViews& replicas, Rng&) override {
    const ReplicaId otherwise = ring_.pick(request, replicas);
    std::size_t best = 0;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      const std::int64_t cached = replicas.probe().cached_tokens(request, i);
      if (cached <= most) continue;
      most = cached;
      best = i;
    }
    const bool enough = most > 0 && most >= request.prompt_tokens - settings_.threshold_tokens;
    return enough ? replicas[best].id : otherwise;
  }

 private:
  Settings settings_;
  SessionRing ring_;
};

[[maybe_unused]] const bool added = Registry<Router>::add<KvAware>(
    "kv_aware", "longest cached beginning of the prompt, else consistent hashing of the session");

}  // namespace
}  // namespace servecast
