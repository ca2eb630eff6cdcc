// Placement "splitwise": prompt machines and token machines, both chosen when the request arrives (Splitwise, Patel
// et al., ISCA 2024).
//
// The KV of a long prompt streams layer by layer while the prompt is computed, so that only the last layer's share is
// felt; that of a short one is sent in one go, since synchronising every layer would cost more (section 4.3: below
// 512 tokens on an H100). Wins where prompts are long and machines for each phase can be bought apart; loses where
// the split does not fit the load (the mixed pool and its router are set on the pools themselves).
#include "models/policy/placement.h"

namespace servecast {
namespace {

class Splitwise final : public Placement {
 public:
  struct Settings {
    std::string decode_pool;
    std::int64_t serial_below_tokens = 512;
    double setup_s = 0.005;
    void fields(Fields& f) {
      f.required("decode_pool", decode_pool, "pool of the token machines");
      f.field("serial_below_tokens", serial_below_tokens, "shorter prompts send their KV in one go");
      f.field("setup_s", setup_s,
              "part of a hand-over that nothing overlaps (Splitwise: 0.005 on H100, 0.008 on A100)");
    }
  };
  explicit Splitwise(const Settings& settings) : settings_(settings) {}

  std::string decode_pool() const override { return settings_.decode_pool; }
  KvMove move(const Request& request) const override {
    return request.prompt_tokens < settings_.serial_below_tokens ? KvMove::pushed : KvMove::streamed;
  }
  double setup_s() const override { return settings_.setup_s; }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added = Registry<Placement>::add<Splitwise>(
    "splitwise", "token machines decode: KV streams by layers, short prompts after");

}  // namespace
}  // namespace servecast
