#pragma once
#include <cstdint>
#include <span>

#include "models/base/ids.h"

namespace servecast {

using BlockHash = std::uint64_t;

/// What a client asks for. The output length is what the client will get; only an oracle policy may look at it.
struct Request {
  RequestId id{};
  double arrival_s = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  PoolId pool{};  // where the gateway sends it
  ClassId request_class{};
  SessionId session{};                         // 0: not part of a session
  bool awaited = false;                        // something happens when it finishes (closed loop)
  std::int32_t block_tokens = 0;               // tokens per hash block of the trace; 0: no hashes
  std::span<const BlockHash> prefix_blocks{};  // equal leading hashes mean equal leading prompt blocks
};

}  // namespace servecast
