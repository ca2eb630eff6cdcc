#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "models/base/counts.h"
#include "models/base/ids.h"

namespace servecast {

using BlockHash = std::uint64_t;

/// What a policy looks at of a request beyond its size: a workload that states a label which no policy reads is
/// mistaken.
struct RequestNeeds {
  bool client = false;
  bool priority = false;
  bool deadline = false;
};

/// What a client asks for. The output length is what the client will get; only an oracle policy may look at it.
struct Request {
  RequestId id{};
  double arrival_s = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  PoolId pool{};  // where the gateway sends it
  ClassId request_class{};
  AdapterId adapter{};                         // that it is served with; 0: the model alone
  ClientId client{};                           // its sender: fair queues share between clients
  SessionId session{};                         // 0: not part of a session
  bool awaited = false;                        // something happens when it finishes (closed loop)
  std::int32_t block_tokens = 0;               // tokens per hash block of the trace; 0: no hashes
  std::span<const BlockHash> prefix_blocks{};  // equal leading hashes mean equal leading prompt blocks
  std::span<const BlockHash> said_blocks{};  // of prompt and output together, where a later prompt tells; see said()
  std::int32_t priority = 0;                 // smaller goes first where the queue looks at it
  std::int32_t samples = 1;                  // outputs made side by side from one prompt; each has output_tokens
  std::int32_t beam_width = 1;               // candidates kept by beam search; 1: none
  std::int32_t images = 0;                   // that its prompt begins with
  std::int32_t image_tokens = 0;             // of each
  std::int32_t retries = 0;                  // how often it has gone on elsewhere, since its replica failed
  double deadline_s = forever;               // when its first token is wanted
  double give_up_s = forever;                // when the client stops waiting, served or not

  static constexpr double forever = std::numeric_limits<double>::infinity();
  /// The blocks of its prompt and, as far as they are known, of its output: the prompt of a session's next turn
  /// begins with both. The whole blocks of the prompt are those of prefix_blocks.
  std::span<const BlockHash> said() const { return said_blocks.empty() ? prefix_blocks : said_blocks; }
  /// Images that have begun within the first `tokens` tokens.
  std::int64_t images_begun(std::int64_t tokens) const {
    return images == 0 ? 0 : std::min<std::int64_t>(images, divided_up(tokens, std::int64_t{image_tokens}));
  }
  /// Sequences that decode side by side.
  std::int64_t width() const { return std::max(samples, beam_width); }
};

}  // namespace servecast
