#pragma once
#include <string>
#include <vector>

#include "calibrate/cli/cli.h"
#include "tests/unit/cli/servecast.h"

namespace servecast {

inline Outcome calibrate_with(const std::vector<std::string>& arguments) {
  return outcome_of(run_calibrate, arguments);
}

}  // namespace servecast
