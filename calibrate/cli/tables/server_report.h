#pragma once
#include <string>

#include "calibrate/servers/forecasts.h"

namespace CLI {
class App;
}

namespace servecast {

struct AccuracyInput;
struct Console;

/// The part of `report` that holds forecasts against measured servers.
struct ServerReport {
  std::string servers{};  // folder of the measurements; empty: not asked for
  std::string out{};
  std::string pages{};
  std::string rows{};
  ForecastOptions how{};
  bool held_out = false;

  void declare(CLI::App& app);
  void run(Console& console);

 private:
  void write(Console& console, const AccuracyInput& input) const;
};

}  // namespace servecast
