#include "sim/plan/runs/build_id.h"

#include <gtest/gtest.h>

#include "sim/plan/runs/run_key.h"

namespace servecast::build_id_test {

/// The linker's is a SHA-1 of 20 bytes, or as long as the user made it; a digest of the file has 64 letters.
TEST(BuildId, is_there_and_the_same_every_time) {
  EXPECT_GE(build_id().size(), 8u);
  EXPECT_EQ(build_id(), build_id());
}

TEST(RunKey, another_program_has_other_results) {
  FileDigests digests;
  EXPECT_NE(run_key("one", "settings", {}, digests), run_key("other", "settings", {}, digests));
}

}  // namespace servecast::build_id_test
