// Queue "shortest_prompt": the shortest prompt first, which makes the mean time to first token smallest where prompts
// are computed one after the other. Long prompts can starve.
#include "models/policy/shared/ranked_queue.h"

namespace servecast {
namespace {

class ShortestPrompt final : public RankedQueue {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit ShortestPrompt(const Settings&) {}

 private:
  double rank(const Request& request) const override { return static_cast<double>(request.prompt_tokens); }
};

[[maybe_unused]] const bool added =
    Registry<WaitingQueue>::add<ShortestPrompt>("shortest_prompt", "shortest prompt first");

}  // namespace
}  // namespace servecast
