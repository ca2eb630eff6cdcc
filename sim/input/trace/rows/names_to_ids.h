#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "models/base/ids.h"

namespace servecast {

/// Numbers sessions or clients 1, 2, ... as their names turn up. The empty name is 0: none, or unknown.
template <class Id>
class NamesToIds {
 public:
  Id id(std::string_view name) {
    if (name.empty()) return Id{};
    key_.assign(name);
    return ids_.try_emplace(key_, Id{static_cast<std::uint32_t>(ids_.size() + 1)}).first->second;
  }

 private:
  std::string key_;                          // reused, so that a known name costs no memory
  std::unordered_map<std::string, Id> ids_;  // looked up, never walked through
};

}  // namespace servecast
