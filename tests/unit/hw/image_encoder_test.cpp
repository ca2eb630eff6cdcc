// Encoders of images: operations against published counts, time against its arithmetic.
#include "models/hw/additions/image_encoder.h"

#include <gtest/gtest.h>

#include "models/policy/request.h"

namespace servecast::image_encoder_test {

/// A plain transformer over patches of 14 x 14 pixels, without what pools its result.
VisionEncoder plain(std::int64_t layers, std::int64_t hidden, std::int64_t intermediate) {
  const double h = static_cast<double>(hidden), i = static_cast<double>(intermediate);
  const double patch = static_cast<double>(layers) * (4 * h * h + 2 * h * i) + 3 * 14 * 14 * h;
  return {.parameters = patch, .layers = layers, .hidden = hidden, .patch_parameters = patch, .whole_layers = layers};
}

// image_gflops of open_clip's docs/model_profile.csv. Its SigLIP has a pooling head of 4 GFLOP at 384 pixels, the
// others a class token.
TEST(ImageEncoder, DoesAsManyOperationsAsOpenClipCounts) {
  const auto gflop = [](const VisionEncoder& e, double patches) {
    return (e.product_flop(patches) + e.attention_flop(patches)) / 1e9;
  };
  EXPECT_NEAR(gflop(plain(24, 1024, 4096), 24 * 24 + 1), 381.92, 0.01 * 381.92);  // ViT-L-14-336
  EXPECT_NEAR(gflop(plain(32, 1280, 5120), 16 * 16 + 1), 334.59, 0.01 * 334.59);  // ViT-H-14
  EXPECT_NEAR(gflop(plain(27, 1152, 4304), 27 * 27), 670.35, 0.01 * 670.35);      // ViT-SO400M-14-SigLIP-384
  EXPECT_NEAR(gflop(plain(56, 1792, 15360), 16 * 16 + 1), 1981.35, 0.01 * 1981.35);  // ViT-e-14
}

// 2 layers of width 10, one of which attends within windows of 4 patches; 4 patches make a token. Two tokens are 8
// patches: products 2 x (8 x 100 + 2 x 30) = 1,720; attention 4 x 10 x 8 x (8 + 4) = 3,840.
constexpr VisionEncoder tiny{.parameters = 150,
                             .layers = 2,
                             .hidden = 10,
                             .patch_parameters = 100,
                             .token_parameters = 30,
                             .patches_per_token = 4,
                             .whole_layers = 1,
                             .window_patches = 4};

TEST(ImageEncoder, CountsWindowsAndTheProjection) {
  EXPECT_DOUBLE_EQ(tiny.product_flop(2), 1'720);
  EXPECT_DOUBLE_EQ(tiny.attention_flop(2), 3'840);
  EXPECT_DOUBLE_EQ(tiny.attention_flop(0.5), 4 * 10 * 2 * (2 + 2.0));
}

// Three such images on two GPUs: launches 2 x (4 x 0.5 + 1) = 6 s; weights 300 / 2 bytes at 10 bytes/s take 15 s,
// products 3 x 1,720 / 2 at 100 a second 25.8 s; attention 3 x 3,840 / 2 at 1,000 a second 5.76 s.
TEST(ImageEncoder, TimesLaunchesProductsAndAttention) {
  Kernels kernels;
  kernels.gemm.bf16 = GemmFit{.launch_s = 0.5, .flop_per_s = 100, .bytes_per_s = 10};
  kernels.prefill_attention = {.launch_s = 1, .flop_per_s = 1000};
  const StageTime time = encoder_time(tiny, kernels, 2, 3, 6);
  EXPECT_DOUBLE_EQ(time.seconds, 6 + 25.8 + 5.76);
  EXPECT_TRUE(time.extrapolated);
  kernels.gemm.bf16->bytes_per_s = 1;
  EXPECT_DOUBLE_EQ(encoder_time(tiny, kernels, 2, 3, 6).seconds, 6 + 150 + 5.76);
}

// Images of 10 tokens lead the prompt; each is encoded with the chunk that begins it.
TEST(ImageEncoder, EncodesAnImageWhereItBegins) {
  const Request request{.prompt_tokens = 100, .images = 3, .image_tokens = 10};
  EXPECT_EQ(request.images_begun(0), 0);
  EXPECT_EQ(request.images_begun(1), 1);
  EXPECT_EQ(request.images_begun(10), 1);
  EXPECT_EQ(request.images_begun(11), 2);
  EXPECT_EQ(request.images_begun(100), 3);
  EXPECT_EQ(Request{.prompt_tokens = 100}.images_begun(100), 0);
}

}  // namespace servecast::image_encoder_test
