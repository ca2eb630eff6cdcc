#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace servecast {

/// A kind of thing that a scenario can name.
struct Listing {
  std::string_view kind;  // as in `servecast list gpus`
  std::string_view help;
  nlohmann::ordered_json (*items)();                         // one object per thing: `name`, and what there is to say
  std::string (*text)(const nlohmann::ordered_json& items);  // the same for a person
};

std::span<const Listing> listings();

}  // namespace servecast
