#pragma once
#include <string>

namespace servecast {

/// Where public traces lie that are not part of this repository.
class PublicTraces {
 public:
  explicit PublicTraces(std::string folder) : folder_(std::move(folder)) {}

  /// The file of this name, as it is or gzipped, in the folder or in one below it; empty where it is not there.
  std::string find(const std::string& name) const;

 private:
  std::string folder_;  // empty: there are none
};

}  // namespace servecast
