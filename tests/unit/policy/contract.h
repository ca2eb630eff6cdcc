#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "models/base/registry.h"

namespace servecast {

/// The registered policy of that name, with its defaults.
template <class Interface>
std::unique_ptr<Interface> make(const std::string& name) {
  return Registry<Interface>::all().at(name).prepare()->make();
}
inline const auto print_name = [](const auto& policy) { return policy.param; };

}  // namespace servecast
