#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace servecast {

/// One word of a path of settings: a key, and where it names a list, which entry.
struct PathStep {
  std::string key;
  std::optional<std::size_t> item{};
};

/// "pools[0].router" -> {pools, 0}, {router}. Throws UserError where the text is no path.
std::vector<PathStep> split_path(const std::string& path);

}  // namespace servecast
