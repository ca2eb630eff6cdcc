#pragma once
#include <string>

#include "calibrate/plan/series.h"

namespace servecast {

/// For a person: "gemm bf16 of servecast with m 1, n 1024, k 1024".
std::string target_text(const MeasureTarget& target);

}  // namespace servecast
