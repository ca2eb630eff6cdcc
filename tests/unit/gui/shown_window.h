#pragma once
#include <gtest/gtest.h>

#include <QTest>

#include "gui/app/main_window.h"
#include "tests/unit/report/files.h"

namespace servecast::gui {

/// A window that is shown, and a folder for what a test writes.
class ShownWindow : public testing::Test {
 protected:
  void SetUp() override {
    window_.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window_, 120'000));
  }

  TemporaryFolder folder_;
  MainWindow window_;
};

}  // namespace servecast::gui
