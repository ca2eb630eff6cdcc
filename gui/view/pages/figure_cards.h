#pragma once
#include <QWidget>
#include <vector>

#include "sim/report/summary/summary.h"

class QGridLayout;

namespace servecast::gui {

/// The figures that one looks at first, each on a card: promise kept, latencies, throughput, cost, energy. In as many
/// rows as the width asks for.
class FigureCards final : public QWidget {
  Q_OBJECT

 public:
  explicit FigureCards(QWidget* parent = nullptr);

  void show_summary(const Summary& summary);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();

  QGridLayout* grid_ = nullptr;
  std::vector<QWidget*> cards_{};
  int card_width_ = 1;
  int columns_ = 0;
};

}  // namespace servecast::gui
