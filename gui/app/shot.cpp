#include "gui/app/shot.h"

#include <QApplication>
#include <QImage>
#include <algorithm>

#include "gui/app/main_window.h"
#include "gui/view/cluster/cluster_view.h"
#include "gui/view/pages/calibration_view.h"
#include "gui/view/pages/dashboard.h"
#include "gui/view/pages/plan_view.h"
#include "gui/view/pages/requests_view.h"
#include "gui/view/pages/run_view.h"
#include "gui/view/scenario/scenario_view.h"
#include "models/base/error.h"

namespace servecast::gui {
namespace {

View view_of(const QString& name) {
  const auto found = std::ranges::find(view_names, name);
  if (found != view_names.end()) return static_cast<View>(found - view_names.begin());
  std::string known;
  for (const char* each : view_names) known += (known.empty() ? "" : ", ") + std::string(each);
  throw UserError("--shot: there is no view '" + name.toStdString() + "'; there are " + known);
}

/// What a view cannot do without, in words; nothing where it is there.
const char* missing(MainWindow& window, View view) {
  if (view == View::scenario) return window.document().file().isEmpty() ? "a scenario (.yaml)" : nullptr;
  if (view == View::calibration)
    return window.calibration_view().model().rowCount() == 0 ? "residuals (.csv)" : nullptr;
  if (view == View::plan) return window.plan_view().model().rowCount() == 0 ? "the folder of a plan" : nullptr;
  return window.current() == nullptr ? "a report folder" : nullptr;
}

void open_inputs(MainWindow& window, View view, const QStringList& inputs) {
  for (const QString& input : inputs)
    if (!window.open(input)) throw UserError(window.notice().toStdString());
  if (const char* what = missing(window, view))
    throw UserError(std::string("--shot ") + view_names[static_cast<std::size_t>(view)] + " needs " + what);
}

/// What a person would have clicked to make the view say something.
void set_the_scene(MainWindow& window, View view, double time_s) {
  if (view == View::cluster) {
    const double duration_s = window.current()->summary.duration_s;
    window.cluster_view().set_time(time_s >= 0 ? std::min(time_s, duration_s) : duration_s / 2);
    if (window.current()->platform) window.cluster_view().choose_gpu(0);
  }
  if (view == View::requests) {
    window.requests_view().set_filter("ttft_s > 60ms");
    window.requests_view().choose(8);
  }
  if (view == View::scenario) window.scenario_view().go_to("pools[0].batcher.policy");
}

}  // namespace

void take_shot(const ShotOrder& order) {
  const View view = view_of(order.view);
  MainWindow window;
  window.set_dark(order.dark);
  window.resize(order.size);
  open_inputs(window, view, order.inputs);
  window.go(view);
  window.show();
  set_the_scene(window, view, order.time_s);
  QApplication::processEvents();
  constexpr int smallest_file = 0;  // what QImage calls the quality of a PNG: 0 compresses most
  const QImage picture = window.grab().toImage().convertToFormat(QImage::Format_RGB888);
  if (!picture.save(order.picture, "PNG", smallest_file))
    throw UserError({order.picture.toStdString()}, "the picture cannot be written");
}

}  // namespace servecast::gui
