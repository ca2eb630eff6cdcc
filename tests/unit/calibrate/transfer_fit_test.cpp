#include "calibrate/fit/transfer_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "calibrate/cli/tables/collect_cells.h"
#include "calibrate/plan/series.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/kernel_profile_file.h"

namespace servecast::transfer_fit_test {

const TransferLaw truth{.op = "h2d",
                        .start_s = 8e-6,
                        .bytes_per_s = 50e9,
                        .side_by_side_bytes_per_s = 55e9,
                        .beside_products_fraction = 0.9,
                        .piece_s = 2e-6,
                        .gathered_start_s = 20e-6,
                        .gathered_bytes_per_s = 40e9};

double made_up_s(const CopyMode& mode, const KernelShape& shape) {
  const auto bytes = static_cast<double>(shape.bytes);
  if (mode.role == CopyRole::gathered) return truth.gathered_start_s + bytes / truth.gathered_bytes_per_s;
  TransferLaw engines = truth;
  engines.gathered_bytes_per_s = 0;
  const std::int64_t pieces = mode.piece_count > 0 ? mode.piece_count : std::max<std::int64_t>(1, shape.m);
  return engines.seconds({.bytes = bytes,
                          .pieces = mode.role == CopyRole::pieces ? static_cast<double>(pieces) : 1,
                          .side_by_side = mode.role == CopyRole::side_by_side,
                          .beside_products = mode.role == CopyRole::beside_products});
}

Sample copy_sample(const std::string& engine, const std::string& op, const std::string& mode) {
  Sample s{};
  s.gpu = "h100_sxm_80g";
  s.engine = engine;
  s.version = "1";
  s.op = op;
  s.mode = mode;
  return s;
}

/// Every copy from page-locked memory that `measure` times, as the law above has it.
std::vector<Sample> all_copies(const std::string& engine, double factor = 1) {
  std::vector<Sample> samples;
  for (const Series& series : standard_series()) {
    const CopyMode* mode = copy_mode(series.like.op, series.like.mode);
    if (mode == nullptr || series.like.op != "h2d" || mode->pageable) continue;
    for (const std::int64_t bytes : series.axes.front().values) {
      Sample s = copy_sample(engine, "h2d", series.like.mode);
      s.shape.bytes = bytes;
      if (series.complete != nullptr) series.complete(s.shape);
      s.median_s = factor * made_up_s(*mode, s.shape);
      samples.push_back(s);
    }
  }
  return samples;
}

std::vector<TransferLaw> laws_of(const std::vector<Sample>& samples) {
  const Gpu gpu = load_gpu("h100_sxm_80g", {});
  CellCollector collector(gpu, "vllm", {}, {});
  for (const Sample& s : samples) collector.add(s);
  return fit_transfers(collector.finish());
}

TEST(TransferFit, FindsTheLawThatMadeTheCopies) {
  const auto laws = laws_of(all_copies("servecast"));
  ASSERT_EQ(laws.size(), 1u);
  const TransferLaw& law = laws.front();
  EXPECT_NEAR(law.start_s / truth.start_s, 1, 1e-3);
  EXPECT_NEAR(law.bytes_per_s / truth.bytes_per_s, 1, 1e-3);
  EXPECT_NEAR(law.side_by_side_bytes_per_s / truth.side_by_side_bytes_per_s, 1, 1e-3);
  EXPECT_NEAR(law.beside_products_fraction / truth.beside_products_fraction, 1, 1e-3);
  EXPECT_NEAR(law.piece_s / truth.piece_s, 1, 1e-3);
  EXPECT_NEAR(law.gathered_start_s / truth.gathered_start_s, 1, 1e-3);
  EXPECT_NEAR(law.gathered_bytes_per_s / truth.gathered_bytes_per_s, 1, 1e-3);
  EXPECT_EQ(law.basis, "measured");
  EXPECT_LT(law.rms_error, 1e-3);
}

// Figures that others publish are twice as slow here: they count only while nothing was measured.
TEST(TransferFit, PublishedFiguresGiveWayToMeasurements) {
  std::vector<Sample> both = all_copies("published", 2);
  EXPECT_EQ(laws_of(both).front().basis, "published");
  const std::vector<Sample> own = all_copies("servecast");
  both.insert(both.end(), own.begin(), own.end());
  const TransferLaw law = laws_of(both).front();
  EXPECT_EQ(law.basis, "measured");
  EXPECT_NEAR(law.bytes_per_s / truth.bytes_per_s, 1, 1e-3);
}

// 512 MiB in 10 ms and nothing smaller.
TEST(TransferFit, LargeCopiesAloneDoNotTellTheStart) {
  Sample s = copy_sample("published", "d2h", "pinned");
  s.shape.bytes = 512 << 20;
  s.median_s = 0.01;
  const TransferLaw law = laws_of({s}).front();
  EXPECT_EQ(law.start_s, 0);
  EXPECT_NEAR(law.bytes_per_s, (512 << 20) / 0.01, 1e6);
}

// What is bundled is what the published copies give, until these are measured.
TEST(TransferFit, BundledLawsAreThoseOfThePublishedCopies) {
  const std::string file = std::string(SERVECAST_SOURCE_DIR) + "/calibrate/published/copies.csv";
  for (const std::string name : {"a100_sxm_80g", "h100_sxm_80g"}) {
    const Gpu gpu = load_gpu(name, {});
    const auto laws = fit_transfers(collect_cells({file}, {.gpu = gpu, .engine = "vllm"}));
    ASSERT_EQ(laws.size(), 2u);
    for (const char* engine : {"vllm", "sglang", "trtllm"}) {
      const KernelProfile profile = load_profile(name + "." + engine, {});
      for (const TransferLaw& law : laws) {
        const auto bundled = std::ranges::find(profile.transfers, law.op, &TransferLaw::op);
        ASSERT_NE(bundled, profile.transfers.end());
        EXPECT_EQ(bundled->bytes_per_s, law.bytes_per_s);
        EXPECT_EQ(bundled->piece_s, law.piece_s);
        EXPECT_EQ(bundled->gathered_bytes_per_s, law.gathered_bytes_per_s);
        EXPECT_EQ(bundled->basis, "published");
        EXPECT_EQ(bundled->source, law.source);
      }
    }
  }
}

// vLLM measured (pull request 42212) that its kernel is quicker than the copy engine below 28 KiB a page.
TEST(TransferFit, TheH100GathersBelow28KibAPiece) {
  const KernelProfile profile = load_profile("h100_sxm_80g.vllm", {});
  const TransferLaw law = transfer_laws(load_gpu("h100_sxm_80g", {}), &profile).h2d;
  const auto gathers = [&](double piece_bytes) {
    const double pieces = 10000;
    return law.seconds({.bytes = pieces * piece_bytes, .pieces = pieces}) <
           (pieces - 1) * law.piece_s + pieces * piece_bytes / law.bytes_per_s;
  };
  EXPECT_TRUE(gathers(16 * 1024));
  EXPECT_FALSE(gathers(28 * 1024));
}

}  // namespace servecast::transfer_fit_test
