#pragma once

namespace servecast {

class Failures;
class Gateway;
class HandOvers;
class Scaling;

/// Parts of a run that the flow of requests meets where the scenario has them. Null: it has none.
struct FlowParts {
  Gateway* gateway = nullptr;
  HandOvers* hand_overs = nullptr;
  Failures* failures = nullptr;
  Scaling* scaling = nullptr;
};

}  // namespace servecast
