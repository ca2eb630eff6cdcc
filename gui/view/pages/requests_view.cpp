#include "gui/view/pages/requests_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QTableWidget>
#include <QVBoxLayout>
#include <numeric>

#include "gui/view/parts/parts.h"
#include "gui/view/plots/life_bar.h"
#include "models/base/error.h"

namespace servecast::gui {
RequestsView::RequestsView(QWidget* parent) : QWidget(parent) {
  filter_ = new QLineEdit;
  filter_->setPlaceholderText(
      tr("Filter, e.g.  ttft_s > 500ms  status = completed  replica = 3   or a request's number"));
  filter_->setClearButtonEnabled(true);
  connect(filter_, &QLineEdit::textChanged, this, &RequestsView::apply_filter);
  complaint_ = wrapped_label("bad");
  complaint_->hide();
  chosen_bar_ = make_chosen_bar();
  count_ = muted_label();
  table_ = new QTableView;
  table_->setSortingEnabled(true);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  dress(*table_);
  life_title_ = muted_label();
  life_bar_ = new LifeBar;
  life_bar_->setFixedHeight(112);
  make_steps_table();

  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->addWidget(column_of({filter_, complaint_, chosen_bar_, count_, table_}, table_));
  splitter->addWidget(column_of({life_title_, life_bar_, steps_}, steps_));
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
}

QWidget* RequestsView::make_chosen_bar() {
  auto* bar = new QFrame;
  bar->setObjectName("card");
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(12, 6, 12, 6);
  chosen_text_ = wrapped_label("strong");
  auto* all = new QPushButton(tr("Show all"));
  all->setShortcut(Qt::Key_Escape);
  connect(all, &QPushButton::clicked, this, &RequestsView::all_wanted);
  row->addWidget(chosen_text_, 1);
  row->addWidget(all);
  bar->hide();
  return bar;
}

void RequestsView::make_steps_table() {
  steps_ = new QTableWidget(0, 7);
  steps_->setHorizontalHeaderLabels({tr("start"), tr("length"), tr("its tokens"), tr("decodes"), tr("prefill chunks"),
                                     tr("prefill tokens"), tr("shared with")});
  dress(*steps_);
  for (int i = 0; i < steps_->columnCount(); ++i) steps_->setColumnWidth(i, 120);
  steps_->horizontalHeader()->setStretchLastSection(true);
  steps_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  steps_->setSelectionBehavior(QAbstractItemView::SelectRows);
  connect(life_bar_, &LifeBar::step_clicked, this, [this](int step) { steps_->selectRow(step); });
}

void RequestsView::show_report(Report* report) {
  table_->setModel(nullptr);
  report_ = report;
  new_chosen_.reset();
  model_ = report ? std::make_unique<RequestModel>(report->requests) : nullptr;
  life_ = {};
  life_bar_->set_life(life_, nullptr);
  steps_->setRowCount(0);
  steps_->hide();
  life_title_->clear();
  if (!model_) return;
  table_->setModel(model_.get());
  table_->sortByColumn(0, Qt::AscendingOrder);
  for (int i = 0; i < model_->columnCount(); ++i) {
    const QString name = model_->headerData(i, Qt::Horizontal).toString();
    table_->setColumnWidth(i, fontMetrics().horizontalAdvance(name) + 44);
  }
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RequestsView::show_life);
  apply_filter(filter_->text());
}

void RequestsView::set_chosen(const std::vector<std::uint8_t>& mask) {
  new_chosen_ = mask;
  if (isVisible()) apply_chosen();
}

void RequestsView::showEvent(QShowEvent*) { apply_chosen(); }

void RequestsView::apply_chosen() {
  if (!new_chosen_) return;
  const std::vector<std::uint8_t> mask = *std::exchange(new_chosen_, std::nullopt);
  chosen_bar_->setVisible(!mask.empty());
  const auto some = static_cast<double>(std::accumulate(mask.begin(), mask.end(), std::size_t{0}));
  chosen_text_->setText(
      tr("Only the %1 requests chosen in the view Run are listed.").arg(text_of(Quantity::count, some)));
  if (!model_) return;
  model_->set_chosen(mask);
  show_count();
}

void RequestsView::set_filter(const QString& text) { filter_->setText(text); }
void RequestsView::choose(int row) { table_->selectRow(row); }

void RequestsView::apply_filter(const QString& text) {
  if (!model_) return;
  try {
    model_->set_filter(text.trimmed().toStdString());
    complaint_->hide();
  } catch (const UserError& error) {
    complaint_->setText(QString::fromStdString(error.what()));
    complaint_->show();
  }
  show_count();
}

void RequestsView::show_count() {
  const auto number = [](std::size_t n) { return text_of(Quantity::count, static_cast<double>(n)); };
  count_->setText(tr("%1 of %2 requests. Click a heading to sort.")
                      .arg(number(static_cast<std::size_t>(model_->rowCount())), number(report_->requests.size())));
}

void RequestsView::show_life(const QModelIndex& current) {
  if (!current.isValid()) return;
  try {
    read_life(model_->request_row(current.row()));
  } catch (const UserError& error) {
    life_title_->setText(QString::fromStdString(error.what()));
  }
}

void RequestsView::read_life(std::size_t row) {
  const Steps* steps = report_->steps();
  life_ = life_of(report_->requests, row, steps);
  life_bar_->set_life(life_, steps);
  const Requests& r = report_->requests;
  QString title =
      tr("Request %1, pool %2").arg(r.request_id[row], 0, 'f', 0).arg(QString::fromStdString(r.pool[row]));
  if (steps == nullptr)
    title += tr("   ·   run with the detail “every batch” to see the batches it shared");
  else if (life_.steps.empty())
    title += tr("   ·   the report has none of its steps");
  life_title_->setText(title);
  show_steps();
}

void RequestsView::show_steps() {
  constexpr std::size_t most_names = 12;
  const Steps* steps = report_->steps();
  steps_->setVisible(!life_.steps.empty());
  steps_->setRowCount(static_cast<int>(life_.steps.size()));
  for (std::size_t i = 0; i < life_.steps.size(); ++i) {
    const std::size_t row = life_.steps[i].row;
    const std::vector<StepShare> members = members_of(*steps, row);
    QStringList others;
    for (std::size_t k = 0; k < members.size() && k < most_names; ++k) others << QString::number(members[k].request);
    if (members.size() > most_names) others << tr("… %1 in all").arg(members.size());
    const QStringList cells{text_of(Quantity::instant_s, steps->start_s[row]),
                            text_of(Quantity::latency_s, steps->end_s[row] - steps->start_s[row]),
                            QString::number(life_.steps[i].tokens),
                            text_of(Quantity::count, steps->decode_sequences[row]),
                            text_of(Quantity::count, steps->prefill_sequences[row]),
                            text_of(Quantity::count, steps->prefill_tokens[row]),
                            "   " + others.join(", ")};
    for (int c = 0; c < cells.size(); ++c) {
      auto* item = new QTableWidgetItem(cells[c]);
      if (c + 1 < cells.size()) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      steps_->setItem(static_cast<int>(i), c, item);
    }
  }
}

}  // namespace servecast::gui
