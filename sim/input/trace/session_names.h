#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "models/base/ids.h"

namespace servecast {

/// Numbers sessions 1, 2, ... as their names turn up. The empty name is no session.
class SessionNames {
 public:
  SessionId id(std::string_view name) {
    if (name.empty()) return SessionId{};
    key_.assign(name);
    return ids_.try_emplace(key_, SessionId{static_cast<std::uint32_t>(ids_.size() + 1)}).first->second;
  }

 private:
  std::string key_;                                 // reused, so that a known name costs no memory
  std::unordered_map<std::string, SessionId> ids_;  // looked up, never walked through
};

}  // namespace servecast
