#pragma once
#include <cstdint>
#include <string>

namespace servecast {

/// A kind of GPU as a buyer finds it: with the node that carries it.
struct GpuChoice {
  std::string name{};  // as the user called it
  std::string gpu{};   // of the library
  std::string node{};
  std::int64_t gpus_per_node = 0;
};

/// "h100", or the full name of a bundled GPU. Of several that begin like this it is the one that a bundled node is
/// sold with. Throws UserError with the names there are.
GpuChoice gpu_choice(const std::string& name);

}  // namespace servecast
