#include "models/hw/profile/transfer_law.h"

#include <gtest/gtest.h>

#include "models/hw/machine/gpu.h"
#include "models/hw/profile/derived_profile.h"

namespace servecast::transfer_law_test {

/// 10 us to start, 50 GB/s alone and 60 GB/s side by side, 1 us for each further piece.
TransferLaw made_up() {
  return {.op = "h2d",
          .start_s = 10e-6,
          .bytes_per_s = 50e9,
          .side_by_side_bytes_per_s = 60e9,
          .beside_products_fraction = 0.8,
          .piece_s = 1e-6,
          .basis = "measured"};
}

TEST(TransferLaw, OneCopy) {
  const TransferLaw law = made_up();
  EXPECT_NEAR(law.seconds({.bytes = 50e6}), 10e-6 + 1e-3, 1e-12);
  EXPECT_NEAR(law.seconds({.bytes = 50e6, .beside_products = true}), 10e-6 + 1e-3 / 0.8, 1e-12);
  EXPECT_NEAR(law.seconds({.bytes = 60e6, .side_by_side = true}), 10e-6 + 1e-3, 1e-12);
}

// The link carries 60 GB/s: a copy that reaches 50 takes 6/5 of its bytes of it.
TEST(TransferLaw, TakesTheLinkForAsLongAsItCopies) {
  const TransferLaw law = made_up();
  EXPECT_EQ(law.link_bytes_per_s(), 60e9);
  EXPECT_NEAR(law.link_bytes({.bytes = 50e6}), 60e6, 1e-3);
  EXPECT_EQ(law.link_bytes({.bytes = 50e6, .side_by_side = true}), 50e6);
  // 101 pieces: 100 us more, 6 MB of the link
  EXPECT_NEAR(law.link_bytes({.bytes = 50e6, .pieces = 101}), 66e6, 1e-3);
}

// 64 pieces of 16 KiB, 1 MiB: copied each, 10 us + 63 us + 21 us = 94 us; gathered, 15 us + 1 MiB / 40 GB/s = 41 us.
// 4 pieces of 16 MiB: copied each, 10 + 3 us + 64 MiB / 50 GB/s = 1355 us; gathered, 15 us + 1678 us.
TEST(TransferLaw, PiecesAreGatheredWhereThatIsQuicker) {
  TransferLaw law = made_up();
  law.gathered_start_s = 15e-6;
  law.gathered_bytes_per_s = 40e9;
  constexpr double mib = 1 << 20;
  EXPECT_NEAR(law.seconds({.bytes = mib, .pieces = 64}), 15e-6 + mib / 40e9, 1e-12);
  EXPECT_NEAR(law.seconds({.bytes = 64 * mib, .pieces = 4}), 13e-6 + 64 * mib / 50e9, 1e-12);
  EXPECT_NEAR(law.seconds({.bytes = mib}), 10e-6 + mib / 50e9, 1e-12) << "one piece is not gathered";
}

TEST(TransferLaw, MoreNeverTakesLess) {
  TransferLaw law = made_up();
  law.gathered_start_s = 30e-6;
  law.gathered_bytes_per_s = 45e9;
  double before_s = 0;
  for (double bytes = 1; bytes < 1e10; bytes *= 3) {
    const double seconds = law.seconds({.bytes = bytes, .pieces = 16});
    EXPECT_GT(seconds, before_s);
    EXPECT_GE(law.seconds({.bytes = bytes, .pieces = 17}), seconds);
    before_s = seconds;
  }
}

Gpu gpu() {
  Gpu g;
  g.name = "own";
  g.nvlink_bytes_per_s = 300e9;
  g.pcie_h2d_bytes_per_s = 25e9;
  g.pcie_d2h_bytes_per_s = 24e9;
  g.hbm_bytes_per_s = 2e12;
  return g;
}

TEST(TransferLaws, OfTheGpusFileWhereNothingWasMeasured) {
  const TransferLaws laws = transfer_laws(gpu(), nullptr);
  EXPECT_EQ(laws.h2d.basis, "data sheet");
  EXPECT_EQ(laws.h2d.seconds({.bytes = 25e9, .pieces = 1000}), 1);
  EXPECT_EQ(laws.d2h.link_bytes({.bytes = 1.1, .pieces = 7}), 1.1) << "to the bit";
  EXPECT_EQ(laws.peer_bytes_per_s(), 300e9);
  Gpu pcie = gpu();
  pcie.nvlink_bytes_per_s = 0;
  EXPECT_EQ(transfer_laws(pcie, nullptr).peer_bytes_per_s(), 24e9);
}

// The kernel that gathers within the GPU, and one copy of what it has gathered: 5 us + 10 us, and 1 / (1/50 + 1/200)
// = 40 GB/s.
TEST(TransferLaws, AGatherWithinTheGpuServesCopiesToTheHost) {
  KernelProfile profile;
  profile.transfers = {made_up(),
                       {.op = "d2d", .bytes_per_s = 1e12, .gathered_start_s = 5e-6, .gathered_bytes_per_s = 200e9}};
  const TransferLaws laws = transfer_laws(gpu(), &profile);
  EXPECT_NEAR(laws.h2d.gathered_start_s, 15e-6, 1e-12);
  EXPECT_NEAR(laws.h2d.gathered_bytes_per_s, 40e9, 1);
  EXPECT_EQ(laws.d2h.basis, "data sheet") << "each way by itself";
}

// On a link half as fast: rates are halved, what starts copies and lies between them is not.
TEST(TransferLaws, AreScaledWithTheLink) {
  Gpu slower = gpu();
  slower.pcie_h2d_bytes_per_s /= 2;
  KernelProfile profile;
  profile.transfers = {made_up()};
  const TransferLaw law = scale_profile(profile, gpu(), slower).transfers.front();
  EXPECT_EQ(law.bytes_per_s, 25e9);
  EXPECT_EQ(law.side_by_side_bytes_per_s, 30e9);
  EXPECT_EQ(law.start_s, 10e-6);
  EXPECT_EQ(law.piece_s, 1e-6);
  EXPECT_EQ(law.basis, "derived");
}

}  // namespace servecast::transfer_law_test
