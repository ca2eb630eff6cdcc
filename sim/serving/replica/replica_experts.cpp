// A step of a replica whose experts are partly elsewhere.
#include <algorithm>

#include "sim/serving/replica/replica.h"

namespace servecast {

// Of those that share the slots, by the adapter that the request names.
std::size_t Replica::model_of(const Request& request) const {
  return index(request.adapter) % stages_.experts()->models();
}

// Every sample or beam of a request is a token of its own, and so is every draft, wherever in a tree.
std::vector<TokenRun> Replica::token_runs(const Lane& lane) const {
  std::vector<TokenRun> runs;
  const FilledBatch& batch = lane.batches.filling();
  if (batch.decoded)
    for (const Slot slot : lane.decodes.members(sequences_)) {
      const Sequence& s = sequences_[slot];
      const std::int64_t drafts = batch.work.draft_sequences > 0 && s.request.width() == 1
                                      ? batch.work.draft_tokens / batch.work.draft_sequences
                                      : 0;
      runs.push_back({.request = s.request.id,
                      .first = lane.decodes.tokens(s),
                      .tokens = s.request.width() + drafts,
                      .model = model_of(s.request)});
    }
  for (const FilledBatch::Chunk& c : batch.chunks) {
    const Sequence& s = sequences_[c.slot];
    runs.push_back({.request = s.request.id,
                    .first = std::max<std::int64_t>(0, s.computed - c.tokens),
                    .tokens = c.tokens,
                    .model = model_of(s.request)});
  }
  return runs;
}

}  // namespace servecast
