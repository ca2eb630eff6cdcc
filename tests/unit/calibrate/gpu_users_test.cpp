#include "calibrate/measure/gpu_users.h"

#include <gmock/gmock.h>

#include "calibrate/measure/gpu_bench.h"

namespace servecast::gpu_users_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(CardUsers, ABusyCardIsRefused) {
  EXPECT_THAT(
      [] {
        refuse_busy_card(std::vector{90u, 40u, 95u}, {17, 23});
      },
      ThrowsMessage<DeviceError>(
          AllOf(HasSubstr("40 % of the time, with process 17, 23"), HasSubstr("CUDA_VISIBLE_DEVICES"))));
  EXPECT_THAT([] { refuse_busy_card(std::vector{6u}, {}); }, ThrowsMessage<DeviceError>(HasSubstr("does not name")));
}
TEST(CardUsers, OneIdleLookIsEnough) {
  refuse_busy_card(std::vector{90u, 5u, 95u}, {17});
  refuse_busy_card({}, {17});  // the driver tells nothing, as on a MIG part
}
TEST(CardUsers, OthersThatBeginMeanwhileAreRefused) {
  const std::vector<ProcessLoad> loads{{.pid = 5, .sm_percent = 99}, {.pid = 6, .sm_percent = 30}};
  EXPECT_THAT([&] { refuse_other_load(loads, {5}); },
              ThrowsMessage<DeviceError>(HasSubstr("process 6 computes for 30 % of the time")));
  refuse_other_load(loads, {5, 6});
  refuse_other_load(std::vector{ProcessLoad{.pid = 6, .sm_percent = 5}}, {5});
  refuse_other_load({}, {5});
}

}  // namespace servecast::gpu_users_test
