// Placement "disaggregated": this pool computes prompts, another one decodes (DistServe, Zhong et al., OSDI 2024).
//
// Prompts do not stall decodes and each phase gets its own number of GPUs, kind of GPU and parallel shape. It costs
// the KV's way over the network and leaves the memory of the prefilling GPUs mostly idle; a wrong split of the GPUs
// loses more than colocation ever does.
//
// By default as in DistServe: the decoding replica is chosen when the prompt is computed, and pulls the KV when it
// has the blocks and its sequences that do not decode yet hold less than 5 % of all blocks
// (waiting_block_prop_threshold). Until then the prefilling replica's memory keeps it. A client sees its first token
// when the decoding replica takes the sequence into a step, as engines of today answer (TensorRT-LLM's
// _handle_first_token_response); with `first_token: prefill` when the prompt is computed, which is DistServe's TTFT.
#include <optional>

#include "models/policy/placement.h"
#include "models/policy/shared/transfer_engine.h"

namespace servecast {
namespace {

class Disaggregated final : public Placement {
 public:
  struct Settings {
    std::string decode_pool;
    std::string transfer = "pull";
    std::optional<double> waiting_blocks_fraction{};
    double setup_s = 0;
    double proxy_s = 0;
    std::string first_token = "decode";
    TransferEngine transfer_engine{};
    void fields(Fields& f) {
      f.required("decode_pool", decode_pool, "pool that decodes");
      f.field("transfer", transfer,
              "pull: the decoding replica fetches the KV when it has room; push: sent in one go when the prompt is "
              "computed; stream: layer by layer while it is computed",
              {"pull", "push", "stream"});
      f.field("waiting_blocks_fraction", waiting_blocks_fraction,
              "a decoding replica takes on no further KV while sequences that do not decode yet hold more than this "
              "share of its blocks; left out: 0.05 for pull, else 1",
              fraction);
      f.field("setup_s", setup_s, "control messages before a transfer");
      f.field("proxy_s", proxy_s,
              "on a request's way to the prompts' pool: proxy and orchestrator that send it from side to side");
      f.field(
          "first_token", first_token,
          "which replica a client has it from. prefill: as soon as the prompt is computed (DistServe); decode: when "
          "the decoding replica takes the sequence into a step (TensorRT-LLM, vLLM, SGLang)",
          {"prefill", "decode"});
      f.group("transfer_engine", transfer_engine, "what carries the KV");
    }
  };
  explicit Disaggregated(const Settings& settings) : settings_(settings) {}

  std::string decode_pool() const override { return settings_.decode_pool; }
  KvMove move(const Request&) const override {
    if (settings_.transfer == "pull") return KvMove::pulled;
    return settings_.transfer == "push" ? KvMove::pushed : KvMove::streamed;
  }
  double waiting_blocks_fraction() const override {
    return settings_.waiting_blocks_fraction.value_or(settings_.transfer == "pull" ? 0.05 : 1);
  }
  double setup_s() const override { return settings_.setup_s; }
  double proxy_s() const override { return settings_.proxy_s; }
  bool decode_answers() const override { return settings_.first_token == "decode"; }
  TransferTerms transfer_terms() const override { return settings_.transfer_engine.terms(); }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<Placement>::add<Disaggregated>("disaggregated", "another pool decodes: DistServe");

}  // namespace
}  // namespace servecast
