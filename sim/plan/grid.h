#pragma once
#include <string>
#include <vector>

namespace servecast {

/// A setting and the values that it takes, as YAML.
struct Dimension {
  std::string path{};
  std::vector<std::string> values{};
};

/// "pools[0].replicas=1,2,4". Commas inside brackets, braces and quotes belong to a value. Throws UserError.
Dimension parse_dimension(const std::string& word);

/// Every combination of values, each as "path=value" in the order of the dimensions; the last one changes fastest.
/// Throws UserError where a path is given twice.
std::vector<std::vector<std::string>> grid(const std::vector<Dimension>& dimensions);

}  // namespace servecast
