#pragma once
#include <string>
#include <vector>

namespace servecast {

struct Scenario;

/// What will be rejected for the length of its prompt, in sentences, as far as that is known before the run: of
/// generated workloads that go straight to the pools. Uses up some of the scenario's workload.
std::vector<std::string> prompts_too_long(Scenario& scenario);

}  // namespace servecast
