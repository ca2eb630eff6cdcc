#pragma once
#include "tests/laws/run_files.h"

namespace servecast::laws {

/// Every number is one, none below 0, and every share lies in [0, 1].
void check_numbers(const RunFiles& run, Findings& findings);
/// Every request ended in one counted state, and its times follow each other.
void check_requests(const RunFiles& run, Findings& findings);
/// Tokens of requests, of the series and of the summary are the same ones.
void check_tokens(const RunFiles& run, Findings& findings);
/// Bytes of flows, of links and of the summary are the same ones.
void check_bytes(const RunFiles& run, Findings& findings);

}  // namespace servecast::laws
