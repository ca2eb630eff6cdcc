#pragma once
#include <ostream>

#include "sim/report/text/text_report.h"

namespace servecast {

/// Where a command writes: results to `out`, everything else to `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;  // then a progress bar may be drawn
  TextOptions text{};            // what `out` can show
};

/// That of this process.
Console standard_console();

}  // namespace servecast
