#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace servecast {

/// A kind of thing that a scenario can name.
struct Listing {
  std::string_view kind;  // as in `servecast list gpus`
  std::string_view help;
  std::function<nlohmann::ordered_json()> items;  // one object per thing: `name`, and what there is to say
  std::function<std::string(const nlohmann::ordered_json& items)> text;  // the same for a person
};

/// Hardware, every registered kind of policy, and what else has names.
std::span<const Listing> listings();

}  // namespace servecast
