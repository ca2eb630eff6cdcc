#include "calibrate/servers/page/errors_text.h"

#include <fmt/format.h>

namespace servecast {

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string errors_text(const ErrorSummary& s) {
  return s.rows == 0 ? "–" : fmt::format("{} / {}", percent(s.median), percent(s.p90));
}

}  // namespace servecast
