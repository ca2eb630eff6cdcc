#pragma once

namespace servecast {

class Simulation;
struct RunFacts;
struct Scenario;

/// What the report needs to know of a finished run beside its records.
RunFacts collect_facts(const Scenario& scenario, const Simulation& simulation);

}  // namespace servecast
