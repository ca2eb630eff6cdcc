#include "sim/input/specs/scaling_spec.h"

#include <gtest/gtest.h>

namespace servecast::scaling_spec_test {

// 3 seconds of imports, 20e9 bytes at 2e9 bytes/s, 30 s of start. From a snapshot, what restoring takes alone.
TEST(ScalingSpec, APhaseAfterTheOther) {
  ScalingSpec spec{.imports_s = 3, .gpu_load_bytes_per_s = 2e9};
  EXPECT_EQ(spec.start_s(20e9), 43);
  spec.snapshot = SnapshotSpec{.bytes = 66e9, .restore_s = 12};
  EXPECT_EQ(spec.start_s(20e9), 12);
}

}  // namespace servecast::scaling_spec_test
