// The one QApplication of a test program, without a display.
#include <gtest/gtest.h>

#include <QApplication>
#include <QTemporaryDir>
#include <memory>

namespace servecast::gui::application {

class WithApplication final : public testing::Environment {
 public:
  void SetUp() override {  // not where tests are only listed: nothing would end it in time
    qputenv("QT_QPA_PLATFORM", "offscreen");
    static int count = 1;
    static char name[] = "test_gui";
    static char* arguments[] = {name, nullptr};
    qputenv("XDG_DATA_HOME", data_.path().toUtf8());  // runs are kept below it
    QApplication::setStyle("Fusion");
    application_ = std::make_unique<QApplication>(count, arguments);
  }
  void TearDown() override { application_.reset(); }

 private:
  QTemporaryDir data_;
  std::unique_ptr<QApplication> application_;
};

[[maybe_unused]] const auto* added = testing::AddGlobalTestEnvironment(new WithApplication);

}  // namespace servecast::gui::application
