#pragma once
#include <cstdint>
#include <string>

#include "models/base/registry.h"
#include "models/policy/request.h"

namespace servecast {

/// What happens to the KV of a prompt that a replica has computed.
enum class KvMove : std::uint8_t {
  stays,     // the replica decodes itself
  pulled,    // another replica fetches it when it is computed and there is room
  pushed,    // sent to another replica in one go when it is computed
  streamed,  // sent to another replica layer by layer while it is computed
};

/// Which replicas compute prompts and which decode. Set on the pool that requests arrive at.
class Placement {
 public:
  static constexpr std::string_view kind = "placement";
  virtual ~Placement() = default;

  /// The pool that decodes what this one has computed; empty: every replica decodes itself. Its own router picks the
  /// replica: when the request arrives where its KV is pushed or streamed, when its prompt is computed where it is
  /// pulled.
  virtual std::string decode_pool() const { return {}; }

  /// Asked once for every request of more than one output token, when it arrives.
  virtual KvMove move(const Request&) const { return KvMove::stays; }

  /// The decoding replica takes on no further KV while sequences that do not decode yet hold more than this share of
  /// its blocks.
  virtual double waiting_blocks_fraction() const { return 1; }

  /// From the end of a prompt until the first byte of what is left to send leaves: control messages, synchronisation.
  virtual double setup_s() const { return 0; }

  /// Chunks of one prompt follow each other through the pipeline stages, a chunk in every stage. Otherwise a prompt's
  /// next chunk starts when the one before has left the last stage.
  virtual bool chunked_pipeline() const { return false; }
};

}  // namespace servecast
