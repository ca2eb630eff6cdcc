// Placement "mooncake": a prefill pool whose chunks run through its pipeline stages one behind the other, and a
// decode pool (Mooncake, Qin et al., FAST 2025, section 4).
//
// The KV of every layer leaves while the next one is computed, so the transfer costs next to nothing as long as the
// network keeps up. With pipeline_parallel above 1, chunked pipeline parallelism: the chunks of one long prompt are
// in several stages at a time, which shortens its first token almost by the number of stages and needs far less
// traffic between nodes than tensor parallelism. The prefill pool's batcher says how long a chunk is; Mooncake takes
// more than 1,000 tokens. Which replicas: the pools' routers ("conductor" is Mooncake's own).
#include "models/policy/placement.h"
#include "models/policy/shared/transfer_engine.h"

namespace servecast {
namespace {

class Mooncake final : public Placement {
 public:
  struct Settings {
    std::string decode_pool;
    double setup_s = 0;
    double proxy_s = 0;
    TransferEngine transfer_engine{};
    void fields(Fields& f) {
      f.required("decode_pool", decode_pool, "pool that decodes");
      f.field("setup_s", setup_s, "control messages before what is left of a transfer");
      f.field("proxy_s", proxy_s,
              "on a request's way to the prompts' pool: proxy and orchestrator that send it from side to side");
      f.group("transfer_engine", transfer_engine, "what carries the KV");
    }
  };
  explicit Mooncake(const Settings& settings) : settings_(settings) {}

  std::string decode_pool() const override { return settings_.decode_pool; }
  KvMove move(const Request&) const override { return KvMove::streamed; }
  bool chunked_pipeline() const override { return true; }
  double setup_s() const override { return settings_.setup_s; }
  double proxy_s() const override { return settings_.proxy_s; }
  TransferTerms transfer_terms() const override { return settings_.transfer_engine.terms(); }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<Placement>::add<Mooncake>("mooncake", "another pool decodes; chunks pipeline, KV streams by layers");

}  // namespace
}  // namespace servecast
