// Readers of what `servecast-calibrate measure` times. A kernel that nothing reads is listed, or this fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "calibrate/plan/series.h"
#include "models/hw/profile/transfer_law.h"

namespace servecast::kernel_readers_test {

/// KernelTimes reads these whatever their mode: gemm(), decode(), prefill(), mla_decode(), moe(), collective().
const std::set<std::string> read_by_kernel_times{"gemm", "decode_attention", "prefill_attention", "mla_decode",
                                                 "moe",  "all_reduce",       "all_gather",        "reduce_scatter"};

std::set<std::string> unread() {
  std::set<std::string> names;
  for (const Series& series : standard_series()) {
    const std::string& op = series.like.op;
    if (!read_by_kernel_times.contains(op) && copy_mode(op, series.like.mode) == nullptr)
      names.insert(op + " " + series.like.mode);
  }
  return names;
}

// The model of a step takes small kernels at one rate and one time each (KernelProfile::elementwise_bytes_per_s,
// EngineTerms::small_kernel_s), so their own rows wait for a reader. Copies all have one: TransferLaw.
TEST(KernelReaders, EveryKernelThatIsTimedHasOneButThese) {
  EXPECT_THAT(unread(), testing::UnorderedElementsAre("elementwise activation", "elementwise combine",
                                                      "elementwise gate", "elementwise norm", "elementwise permute",
                                                      "elementwise rope", "elementwise sample_greedy",
                                                      "elementwise sample_top_50", "launch eager", "launch graph"));
}

}  // namespace servecast::kernel_readers_test
