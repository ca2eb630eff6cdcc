#pragma once
#include <string>

#include "calibrate/servers/forecasts.h"

namespace CLI {
class App;
}

namespace servecast {

struct Console;

/// The part of `report` that holds forecasts against measured servers.
struct ServerReport {
  std::string servers{};  // folder of the measurements; empty: not asked for
  std::string out{};
  ForecastOptions how{};
  bool held_out = false;

  void declare(CLI::App& app);
  void run(Console& console);
};

}  // namespace servecast
