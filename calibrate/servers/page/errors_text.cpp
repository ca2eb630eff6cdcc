#include "calibrate/servers/page/errors_text.h"

#include <fmt/format.h>

#include "sim/report/layout/human.h"

namespace servecast {

std::string errors_text(const ErrorSummary& s) {
  return s.rows == 0 ? "–" : fmt::format("{} / {}", human::percent(s.median), human::percent(s.p90));
}

std::string bias_text(const ErrorSummary& s) { return s.rows == 0 ? "–" : fmt::format("{:+.1f} %", 100 * s.bias); }

}  // namespace servecast
