// Placement "dynamic_roles": some replicas of the pool compute prompts, the others decode, and they change sides with
// the load (as in TetriInfer, Hu et al., arXiv 2401.11181: an instance drains, then flips).
//
// Every `check_every_s` the sides are compared. Where more prompt tokens wait than the prefilling replicas should
// have, and the decoding side would do with one replica fewer, that decoding replica which has least to do takes on
// nothing new, finishes what it has, and changes sides; the other way round where the decoding side's KV runs full.
// One replica at a time. Wins where the mix of long prompts and long outputs changes over minutes; loses time by
// draining where it changes faster. Requests go to the prefilling replica with the fewest waiting prompt tokens, and
// on to the decoding replica with the fewest sequences, which pulls the KV when it has room; the pool's router is not
// asked.
#include "models/policy/placement.h"

namespace servecast {
namespace {

class DynamicRoles final : public Placement {
 public:
  struct Settings {
    std::int64_t prefill_replicas = 1;
    double check_every_s = 1;
    std::int64_t most_waiting_tokens = 8192;
    double most_kv_fraction = 0.7;
    double waiting_blocks_fraction = 0.05;
    void fields(Fields& f) {
      f.field("prefill_replicas", prefill_replicas, "replicas that compute prompts at first", at_least_one);
      f.field("check_every_s", check_every_s, "between two evaluations of the load", positive);
      f.field("most_waiting_tokens", most_waiting_tokens,
              "prompt tokens not yet computed per prefilling replica, from which that side wants another one",
              at_least_one);
      f.field("most_kv_fraction", most_kv_fraction,
              "share of KV blocks in use, from which the decoding side wants another replica, and up to which it can "
              "do without one",
              positive_fraction);
      f.field("waiting_blocks_fraction", waiting_blocks_fraction,
              "a decoding replica takes on no further KV while sequences that do not decode yet hold more than this "
              "share of its blocks",
              fraction);
    }
  };
  explicit DynamicRoles(const Settings& settings) : settings_(settings) {}

  KvMove move(const Request&) const override { return KvMove::pulled; }
  double waiting_blocks_fraction() const override { return settings_.waiting_blocks_fraction; }
  std::int64_t prefill_replicas() const override { return settings_.prefill_replicas; }
  double check_every_s() const override { return settings_.check_every_s; }

  Turn turn(const SideLoad& prefill, const SideLoad& decode) const override {
    const bool prompts_wait = prefill.waiting_tokens > settings_.most_waiting_tokens * prefill.replicas;
    const double replica_blocks = static_cast<double>(decode.total_blocks) / static_cast<double>(decode.replicas);
    const double one_fewer = replica_blocks * static_cast<double>(decode.replicas - 1);
    const auto used = static_cast<double>(decode.used_blocks);
    if (prompts_wait && decode.replicas > 1 && used < settings_.most_kv_fraction * one_fewer) return Turn::to_prefill;
    const bool kv_is_full = used > settings_.most_kv_fraction * static_cast<double>(decode.total_blocks);
    if (kv_is_full && !prompts_wait && prefill.replicas > 1) return Turn::to_decode;
    return Turn::none;
  }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added = Registry<Placement>::add<DynamicRoles>(
    "dynamic_roles", "replicas of one pool prefill or decode, and change sides with the load");

}  // namespace
}  // namespace servecast
