// Speculation "ngram": the prompt and output so far are searched for the last few tokens, and what followed them
// there is the draft (prompt lookup decoding, Saxena 2023).
//
// Costs next to nothing and no memory. Good where the output repeats the prompt: summaries, code edits, retrieval;
// in free chat few drafts are taken over.
#include "models/policy/shared/drafting.h"

namespace servecast {
namespace {

class Ngram final : public Drafting {
 public:
  struct Settings : DraftSettings {
    double lookup_s = 5e-6;
    // The acceptance depends on the workload: assumed, to be replaced by one's own.
    Settings() : DraftSettings{.num_speculative_tokens = 3, .acceptance = {.by_position = {0.3}}} {}
    void fields(Fields& f) {
      DraftSettings::fields(f);
      f.field("lookup_s", lookup_s,
              "host time to search one sequence (assumed: a pass over a few thousand tokens in compiled code)");
    }
  };
  explicit Ngram(const Settings& settings) : Drafting(settings), lookup_s_(settings.lookup_s) {}

  Drafter drafter() const override { return {.host_sequence_s = lookup_s_}; }

 private:
  double lookup_s_;
};

[[maybe_unused]] const bool added =
    Registry<Speculation>::add<Ngram>("ngram", "drafts are looked up in the text so far");

}  // namespace
}  // namespace servecast
