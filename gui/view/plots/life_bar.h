#pragma once
#include <QWidget>

#include "gui/data/tables/request_life.h"

namespace servecast::gui {

/// The life of a request as a bar, with the steps that worked on it below.
class LifeBar final : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

  /// `steps` may be none; what is given must live as long as it is shown.
  void set_life(const RequestLife& life, const Steps* steps);
  QSize sizeHint() const override { return {600, 120}; }

 signals:
  /// A step was clicked: its number in RequestLife::steps.
  void step_clicked(int step);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  QRectF bar() const;
  double x_of(double time_s) const;
  void paint_steps(QPainter& painter) const;
  void paint_legend(QPainter& painter) const;

  RequestLife life_{};
  const Steps* steps_ = nullptr;
  double from_s_ = 0;
  double to_s_ = 1;
};

QString life_kind_name(LifeKind kind);

}  // namespace servecast::gui
