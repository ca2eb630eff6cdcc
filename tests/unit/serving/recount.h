#pragma once
#include <gtest/gtest.h>

#include "sim/serving/replica/replica.h"

namespace servecast {

/// What the sequences of a replica add up to, counted one by one.
inline SequenceSums recount(const SequenceBook& book) {
  SequenceSums sums;
  for (std::size_t i = 0; i < book.table().size(); ++i) {
    const Sequence& s = book[static_cast<Slot>(i)];
    if (s.state == SequenceState::forgotten && !s.fetching) continue;  // a free place
    sums.counts[static_cast<std::size_t>(s.state)] += 1;
    sums.running += runs(s.state) ? 1 : 0;
    sums.running_sequences += runs(s.state) ? s.request.width() : 0;
    sums.uncomputed_tokens += s.left();
    sums.awaited += s.request.awaited && !s.reported ? 1 : 0;
  }
  return sums;
}

/// The book of a replica is right, whatever has become of its sequences.
inline void expect_right_sums(const Replica& replica) {
  const SequenceSums& kept = replica.core().book.sums();
  const SequenceSums counted = recount(replica.core().book);
  EXPECT_EQ(kept.counts, counted.counts);
  EXPECT_EQ(kept.running, counted.running);
  EXPECT_EQ(kept.running_sequences, counted.running_sequences);
  EXPECT_EQ(kept.uncomputed_tokens, counted.uncomputed_tokens);
  EXPECT_EQ(kept.awaited, counted.awaited);
}

}  // namespace servecast
