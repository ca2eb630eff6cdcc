#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "models/base/registry.h"
#include "models/base/rng.h"
#include "models/hw/engine/calibration_error.h"
#include "models/policy/request.h"
#include "models/policy/support/sm_partition.h"

namespace servecast {

/// What happens to the KV of a prompt that a replica has computed.
enum class KvMove : std::uint8_t {
  stays,     // the replica decodes itself
  pulled,    // another replica fetches it when it is computed and there is room
  pushed,    // sent to another replica in one go when it is computed
  streamed,  // sent to another replica layer by layer while it is computed
};

/// What an engine of transfers makes of the links: KV reaches `rate_fraction` of their rate, and its first byte
/// leaves `layer_s` after it is asked for, for the block list of each layer. The errors are measured over forecast,
/// of these times and of those that bytes take.
struct TransferTerms {
  double layer_s = 0;
  double rate_fraction = 1;
  ErrorRange layer_error{};
  ErrorRange rate_error{};

  /// As they may really be: one draw of the errors, their logarithms multiplied by `spread`. Never faster than links.
  TransferTerms drawn(double spread, Rng& rng) const {
    TransferTerms terms = *this;
    terms.layer_s *= layer_error.factor(rng.normal(), spread);
    terms.rate_fraction = std::min(1.0, rate_fraction / rate_error.factor(rng.normal(), spread));
    return terms;
  }
};

/// The replicas of one side of a pool, those that drain left out.
struct SideLoad {
  std::int64_t replicas = 0;
  std::int64_t waiting_tokens = 0;  // prompt tokens not yet computed
  std::int64_t used_blocks = 0;
  std::int64_t total_blocks = 0;
};

/// One replica of the other side is to come over when it has drained.
enum class Turn : std::uint8_t { none, to_prefill, to_decode };

/// Which replicas compute prompts and which decode. Set on the pool that requests arrive at.
class Placement {
 public:
  static constexpr std::string_view kind = "placement";
  static constexpr PolicyListing listing{"placements", "which replicas compute prompts and which decode"};
  virtual ~Placement() = default;

  /// The pool that decodes what this one has computed; empty: every replica decodes itself. Its own router picks the
  /// replica: when the request arrives where its KV is pushed or streamed, when its prompt is computed where it is
  /// pulled.
  virtual std::string decode_pool() const { return {}; }

  /// The pool's own replicas take sides: at first so many compute prompts and the others decode. 0: they do not. Not
  /// together with a decode pool.
  virtual std::int64_t prefill_replicas() const { return 0; }
  /// Where they do, asked every check_every_s() while requests are there and no replica drains. Both sides have at
  /// least one replica, and must keep one.
  virtual double check_every_s() const { return 1; }
  virtual Turn turn(const SideLoad& /*prefill*/, const SideLoad& /*decode*/) const { return Turn::none; }

  /// Asked once for every request of more than one output token, when it arrives.
  virtual KvMove move(const Request&) const { return KvMove::stays; }

  /// The decoding replica takes on no further KV while sequences that do not decode yet hold more than this share of
  /// its blocks.
  virtual double waiting_blocks_fraction() const { return 1; }

  /// From the end of a prompt until the first byte of what is left to send leaves: control messages, synchronisation.
  virtual double setup_s() const { return 0; }
  /// What carries it.
  virtual TransferTerms transfer_terms() const { return {}; }

  /// From a request's way in until the pool that computes its prompt has it: proxies and orchestrators that send it
  /// from side to side.
  virtual double proxy_s() const { return 0; }

  /// First tokens, too, reach clients from the replica that decodes, when it takes the sequence into a step.
  /// Otherwise from the one that has computed the prompt.
  virtual bool decode_answers() const { return false; }

  /// Chunks of one prompt follow each other through the pipeline stages, a chunk in every stage. Otherwise a prompt's
  /// next chunk starts when the one before has left the last stage.
  virtual bool chunked_pipeline() const { return false; }

  /// Where every replica computes prompts and decodes at the same time, on shares of its GPUs' SMs: asked once for
  /// each. None: one after the other, or in the same steps. Not together with a decode pool or with sides.
  virtual std::unique_ptr<SmPartition> sm_partition() const { return nullptr; }

  /// What is wrong with the settings; empty: nothing.
  virtual std::string problem() const { return {}; }
};

}  // namespace servecast
