#pragma once
#include <string>
#include <vector>

namespace servecast {

/// A setting and the values that it takes, as YAML.
struct SweepAxis {
  std::string path{};
  std::vector<std::string> values{};
};

/// "pools[0].replicas=1,2,4". Commas inside brackets, braces and quotes belong to a value. Throws UserError.
SweepAxis parse_axis(const std::string& word);

/// Every combination of values, each as "path=value" in the order of the dimensions; the last one changes fastest.
/// Throws UserError where a path is given twice.
std::vector<std::vector<std::string>> grid(const std::vector<SweepAxis>& dimensions);

}  // namespace servecast
