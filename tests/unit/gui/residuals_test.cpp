// Residuals of a calibration: the file, the error table, the picture.
#include <gmock/gmock.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "gui/data/report/residuals.h"
#include "gui/data/tables/operator_error_model.h"
#include "gui/view/pages/calibration_view.h"
#include "gui/view/plots/scatter_plot.h"
#include "models/base/error.h"
#include "tests/unit/gui/report_files.h"

namespace servecast::gui::residuals_test {

class ResidualsFile : public testing::Test {
 protected:
  TemporaryFolder folder_;

  Residuals read(const std::string& text) {
    return read_residuals(write_residuals(folder_, text));
  }
};

TEST_F(ResidualsFile, ErrorsAreOfHeldOutShapes) {
  const Residuals r = read(two_operators);
  EXPECT_EQ(r.profile, "An H100");
  EXPECT_EQ(r.shape[2], "m 4, n 8");
  const std::vector<OperatorError> errors = errors_of(r);
  ASSERT_EQ(errors.size(), 2);
  EXPECT_EQ(errors[0].fitted, 1);
  EXPECT_EQ(errors[0].held_out, 4);
  EXPECT_NEAR(errors[0].median, 0.1, 1e-9);  // of 0, 0.1, 0.2, 0.3 the second
  EXPECT_NEAR(errors[0].p90, 0.3, 1e-9);
  EXPECT_NEAR(errors[0].bias, 0, 1e-9);  // of -0.2, 0, 0.1, 0.3 the second
  EXPECT_EQ(errors[1].fitted, 2);
  EXPECT_EQ(errors[1].held_out, 0);
}

TEST_F(ResidualsFile, AnotherFileIsRefused) {
  EXPECT_THAT([&] { read("operator,measured_s\ngemm,1\n"); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr("profile")));
}

TEST_F(ResidualsFile, TheTableHasTheWorstFirst) {
  const Residuals r = read(two_operators + "An H100,p2p,bytes 1,1,2,1,0\n");
  OperatorErrorModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.set_residuals(&r);
  ASSERT_EQ(model.rowCount(), 3);
  const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
  EXPECT_EQ(text(0, 0), "p2p");
  EXPECT_EQ(text(1, 0), "gemm bf16");
  EXPECT_EQ(text(1, 1), "10.0 %");
  EXPECT_EQ(text(2, 0), "h2d");
  EXPECT_EQ(text(2, 1), "—");
}

TEST_F(ResidualsFile, TheViewDrawsOneOperatorAndReadsADotOut) {
  CalibrationView view;
  view.resize(900, 600);
  view.show_residuals(read(two_operators));
  view.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&view, 120'000));
  ScatterPlot& plot = view.times();
  EXPECT_TRUE(plot.place_of(4));   // the largest product
  EXPECT_FALSE(plot.place_of(5));  // a copy
  QSignalSpy chosen(&plot, &ScatterPlot::chosen);
  QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.place_of(3)->toPoint());
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen[0][0].toULongLong(), 3);
  QTest::mouseClick(&plot, Qt::LeftButton, {}, QPoint(2, 2));
  EXPECT_EQ(chosen.count(), 1);
  view.choose(1);
  EXPECT_FALSE(plot.place_of(4));
  EXPECT_TRUE(plot.place_of(5));
}

TEST(AxisAround, LeavesRoomAndTakesWhatAnAxisCanShow) {
  const Axis linear = axis_around({1, 3}, Quantity::number, false, "x");
  EXPECT_LT(linear.low, 1);
  EXPECT_GT(linear.high, 3);
  const Axis log = axis_around({0, -1, 10, 1000}, Quantity::number, true, "x");
  EXPECT_GT(log.low, 0);
  EXPECT_LT(log.low, 10);
  EXPECT_GT(log.high, 1000);
  const Axis nothing = axis_around({}, Quantity::number, false, "x");
  EXPECT_LT(nothing.low, nothing.high);
}

}  // namespace servecast::gui::residuals_test
