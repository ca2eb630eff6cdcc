#pragma once
#include <string>

namespace servecast {

/// A setting given beside a scenario's text (`--set path=value`).
struct Override {
  std::string path;
  std::string value;
};

}  // namespace servecast
