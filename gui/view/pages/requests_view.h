#pragma once
#include <QWidget>
#include <memory>

#include "gui/data/report/report.h"
#include "gui/data/tables/request_life.h"
#include "gui/data/tables/request_model.h"

class QLabel;
class QLineEdit;
class QTableView;
class QTableWidget;

namespace servecast::gui {

class LifeBar;

/// All requests of a report as a table, and the life of the one that is chosen.
class RequestsView final : public QWidget {
  Q_OBJECT

 public:
  explicit RequestsView(QWidget* parent = nullptr);

  void show_report(Report* report);
  /// Takes effect when the table is seen, so that brushing elsewhere stays quick.
  void set_chosen(const std::vector<std::uint8_t>& mask);
  void set_filter(const QString& text);
  /// Chooses a row of the table.
  void choose(int row);
  const RequestModel* model() const { return model_.get(); }

 signals:
  /// Those that a brush has not chosen shall be listed, too.
  void all_wanted();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void apply_chosen();
  QWidget* make_chosen_bar();
  void make_steps_table();
  void apply_filter(const QString& text);
  void show_count();
  void show_life(const QModelIndex& current);
  void read_life(std::size_t row);
  void show_steps();

  Report* report_ = nullptr;
  std::unique_ptr<RequestModel> model_{};
  std::optional<std::vector<std::uint8_t>> new_chosen_{};  // not shown yet
  RequestLife life_{};
  QLineEdit* filter_ = nullptr;
  QLabel* complaint_ = nullptr;
  QWidget* chosen_bar_ = nullptr;  // says that a brush in another view leaves requests out
  QLabel* chosen_text_ = nullptr;
  QLabel* count_ = nullptr;
  QTableView* table_ = nullptr;
  QLabel* life_title_ = nullptr;
  LifeBar* life_bar_ = nullptr;
  QTableWidget* steps_ = nullptr;
};

}  // namespace servecast::gui
