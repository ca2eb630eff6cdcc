#pragma once
#include <cstddef>
#include <cstdint>

#include "models/base/registry.h"
#include "models/policy/request.h"

namespace servecast {

/// The replica's name for a request in its queue. Names are used again.
enum class Ticket : std::uint32_t {};

/// The waiting queue of one replica: in which order requests are admitted. Batchers see only its front: a request
/// that stands there and does not fit keeps the others waiting.
class WaitingQueue {
 public:
  static constexpr std::string_view kind = "queue";
  static constexpr PolicyListing listing{"queues", "which waiting request is next"};
  virtual ~WaitingQueue() = default;

  virtual std::size_t size() const = 0;
  bool empty() const { return size() == 0; }
  /// Requires !empty().
  virtual Ticket front() const = 0;

  virtual void push(Ticket ticket, const Request& request) = 0;
  /// It was preempted and goes ahead of its equals.
  virtual void push_front(Ticket ticket, const Request& request) = 0;
  /// It was admitted, or its client gave up.
  virtual void erase(Ticket ticket, const Request& request) = 0;

  /// What it looks at of a request beyond its size.
  virtual RequestNeeds needs() const { return {}; }

  /// The order of preemption where memory is short: the highest rank, of these the last admitted.
  virtual std::int32_t preemption_rank(const Request&) const { return 0; }

  /// Does the order depend on the work done for each client? Then served() counts: the prompt of a request when it
  /// is first admitted, and output tokens before the front is asked for.
  virtual bool counts_service() const { return false; }
  virtual void served(const Request&, std::int64_t /*prompt_tokens*/, std::int64_t /*output_tokens*/) {}
};

}  // namespace servecast
