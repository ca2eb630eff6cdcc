#pragma once
#include <cstddef>
#include <cstdint>

namespace servecast {

// Ids are distinct types, so a replica can never be passed where a request is wanted.
enum class RequestId : std::uint32_t {};
enum class ReplicaId : std::uint32_t {};  // numbered through all pools of a run
enum class PoolId : std::uint16_t {};
enum class ClassId : std::uint16_t {};    // request class, e.g. "interactive"; 0 is the unnamed one
enum class ClientId : std::uint32_t {};   // the sender: a tenant, an API key; 0 is the unnamed one
enum class AdapterId : std::uint32_t {};  // LoRA adapter that a request names; 0: none
enum class SessionId : std::uint32_t {};

template <class Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

}  // namespace servecast
