#include "gui/view/cluster/cluster_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QTableWidget>
#include <QTimer>
#include <algorithm>

#include "gui/view/cluster/cluster_canvas.h"
#include "gui/view/parts/parts.h"
#include "gui/view/plots/time_plot.h"

namespace servecast::gui {
namespace {

constexpr int ticks_per_s = 10;  // of the slider
constexpr int play_every_ms = 100;

}  // namespace

ClusterView::ClusterView(QWidget* parent) : QWidget(parent) {
  canvas_ = new ClusterCanvas;
  connect(canvas_, &ClusterCanvas::gpu_clicked, this, &ClusterView::show_gpu);
  connect(canvas_, &ClusterCanvas::link_clicked, this, &ClusterView::show_link);
  timer_ = new QTimer(this);
  connect(timer_, &QTimer::timeout, this, &ClusterView::play_on);
  auto* left = new QVBoxLayout;
  left->setSpacing(10);
  left->addWidget(canvas_, 1);
  left->addWidget(make_controls());
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(10);
  row->addLayout(left, 1);
  row->addWidget(make_panel());
  show_report(nullptr);
}

QWidget* ClusterView::make_controls() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  play_ = new QPushButton(tr("Play"));
  play_->setCheckable(true);
  play_->setShortcut(Qt::Key_Space);
  connect(play_, &QPushButton::toggled, this, [this](bool on) {
    play_->setText(on ? tr("Pause") : tr("Play"));
    on ? timer_->start(play_every_ms) : timer_->stop();
  });
  slider_ = new QSlider(Qt::Horizontal);
  connect(slider_, &QSlider::valueChanged, this, [this](int value) {
    time_s_ = static_cast<double>(value) / ticks_per_s;
    show_time();
  });
  time_ = new QLabel;
  time_->setMinimumWidth(fontMetrics().horizontalAdvance("86,400.0 s of 86,400.0 s"));
  colour_ = new QComboBox;
  colour_->addItems({tr("Colour: busy share"), tr("Colour: KV use"), tr("Colour: link use")});
  connect(colour_, &QComboBox::currentIndexChanged, this,
          [this](int index) { canvas_->set_colour(static_cast<ColourBy>(index)); });
  row->addWidget(play_);
  row->addWidget(slider_, 1);
  row->addWidget(time_);
  row->addWidget(colour_);
  return bar;
}

QWidget* ClusterView::make_panel() {
  auto* panel = new QWidget;
  panel->setMinimumWidth(200);
  panel->setMaximumWidth(330);
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  title_ = wrapped_label("heading");
  text_ = wrapped_label("muted");
  batch_ = wrapped_label("plain");
  load_plot_ = new TimePlot;
  load_plot_->set_title(tr("Requests"));
  share_plot_ = new TimePlot;
  share_plot_->set_title(tr("Shares"));
  for (TimePlot* plot : {load_plot_, share_plot_}) {
    plot->setMaximumHeight(210);
    connect(plot, &Plot::brushed, this, [this](const std::optional<Span>& span) {
      if (span) set_time(span->to);
    });
  }
  flows_ = new QTableWidget(0, 4);
  flows_->setHorizontalHeaderLabels({tr("kind"), tr("from"), tr("to"), tr("bytes")});
  dress(*flows_);
  flows_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  flows_->horizontalHeader()->setStretchLastSection(true);
  flows_->horizontalHeader()->setDefaultSectionSize(84);
  for (QWidget* widget : std::initializer_list<QWidget*>{title_, text_, batch_, load_plot_, share_plot_})
    column->addWidget(widget);
  column->addWidget(flows_, 1);
  column->addStretch();
  return panel;
}

void ClusterView::show_report(Report* report) {
  play_->setChecked(false);
  report_ = report;
  replica_ = -1;
  canvas_->show_report(report);
  const bool has_platform = report != nullptr && report->platform;
  for (QWidget* widget : std::initializer_list<QWidget*>{slider_, play_, colour_}) widget->setEnabled(has_platform);
  for (QWidget* widget : std::initializer_list<QWidget*>{load_plot_, share_plot_, flows_, batch_}) widget->hide();
  title_->clear();
  text_->clear();
  if (!has_platform) return;
  slider_->setRange(0, static_cast<int>(report->summary.duration_s * ticks_per_s));
  set_time(0);
  text_->setText(report->replicas ? tr("Click a GPU or a link.")
                                  : tr("Run with the detail “cluster” to see what each GPU did."));
}

void ClusterView::set_time(double time_s) {
  slider_->setValue(static_cast<int>(time_s * ticks_per_s));
  time_s_ = time_s;
  show_time();
}

void ClusterView::choose_gpu(int gpu) {
  canvas_->select_gpu(gpu);
  show_gpu(gpu);
}

void ClusterView::play_on() {
  constexpr double seconds_of_play = 30;  // the whole run goes by in this time
  const double step_s = report_->summary.duration_s / seconds_of_play * play_every_ms / 1000;
  const double next_s = time_s_ + std::max(step_s, 1.0 / ticks_per_s);
  if (next_s >= report_->summary.duration_s) play_->setChecked(false);
  set_time(std::min(next_s, report_->summary.duration_s));
}

void ClusterView::show_time() {
  canvas_->set_time(time_s_);
  if (report_ == nullptr) return;
  time_->setText(tr("%1 s of %2 s").arg(time_s_, 0, 'f', 1).arg(report_->summary.duration_s, 0, 'f', 1));
  for (TimePlot* plot : {load_plot_, share_plot_}) plot->set_span(Span{time_s_, time_s_});
  show_batch();
}

void ClusterView::show_gpu(int gpu) {
  const PlatformGpu& one = report_->platform->gpus[static_cast<std::size_t>(gpu)];
  replica_ = canvas_->replica_of(static_cast<std::size_t>(gpu));
  title_->setText(QString::fromStdString(one.name));
  const bool known = replica_ >= 0 && report_->replicas;
  QString text = QString::fromStdString(one.kind);
  if (replica_ >= 0) {
    const PlatformReplica& replica = report_->platform->replicas[static_cast<std::size_t>(replica_)];
    text += "\n" + tr("Replica %1 of pool %2").arg(replica_).arg(QString::fromStdString(replica.pool));
  } else {
    text += "\n" + tr("no replica runs here");
  }
  text_->setText(text);
  load_plot_->setVisible(known);
  share_plot_->setVisible(known);
  batch_->setVisible(replica_ >= 0);
  if (known) {
    const ReplicaSamples& all = *report_->replicas;
    for (Column* column : {&sample_time_s_, &running_, &waiting_, &kv_, &busy_}) column->clear();
    for (const std::size_t row : all.rows_of(replica_)) {
      sample_time_s_.push_back(all.time_s[row]);
      running_.push_back(all.running[row]);
      waiting_.push_back(all.waiting[row]);
      kv_.push_back(all.kv_used_fraction[row]);
      busy_.push_back(all.busy_fraction[row]);
    }
    const double duration_s = report_->summary.duration_s;
    load_plot_->set_curves({{tr("running"), &sample_time_s_, &running_, Qt::SolidLine, false, 0},
                            {tr("waiting"), &sample_time_s_, &waiting_, Qt::SolidLine, false, 1}},
                           Quantity::count, duration_s);
    share_plot_->set_curves({{tr("busy"), &sample_time_s_, &busy_, Qt::SolidLine, false, 0},
                             {tr("KV"), &sample_time_s_, &kv_, Qt::SolidLine, false, 2}},
                            Quantity::fraction, duration_s);
  }
  fill_flows([&](std::size_t row) {
    const Flows& flows = *report_->flows;
    return flows.from[row].starts_with(one.name) || flows.to[row].starts_with(one.name);
  });
  show_time();
}

void ClusterView::show_batch() {
  if (replica_ < 0 || !batch_->isVisibleTo(this)) return;
  const Steps* steps = report_->steps();
  QString text = tr("No batch is known for this moment.");
  if (steps == nullptr) text = tr("Run with the detail “every batch” to see its batches.");
  for (std::size_t i = 0; steps != nullptr && i < steps->size(); ++i)
    if (steps->replica[i] == replica_ && steps->start_s[i] <= time_s_ && time_s_ < steps->end_s[i]) {
      text = tr("Batch now: %1 decodes, %2 prompt tokens, %3 KV blocks held")
                 .arg(text_of(Quantity::count, steps->decode_sequences[i]),
                      text_of(Quantity::count, steps->prefill_tokens[i]),
                      text_of(Quantity::count, steps->used_blocks[i]));
      break;
    }
  batch_->setText(text);
}

void ClusterView::show_link(const std::vector<std::size_t>& links) {
  const std::vector<PlatformLink>& all = report_->platform->links;
  const PlatformLink& one = all[links.front()];
  replica_ = -1;
  title_->setText(links.size() > 2 ? tr("%1 links").arg(links.size() / 2)  // each has two directions
                                   : QString::fromStdString(one.name.substr(0, one.name.rfind('/'))));
  text_->setText(tr("%1, %2/s each way, latency %3")
                     .arg(QString::fromStdString(one.kind), text_of(Quantity::bytes, one.bytes_per_s),
                          text_of(Quantity::latency_s, one.latency_s)));
  for (QWidget* widget : std::initializer_list<QWidget*>{load_plot_, share_plot_, batch_}) widget->hide();
  fill_flows([&](std::size_t row) {
    return std::ranges::any_of(links, [&](std::size_t link) { return report_->flows->crosses(row, all[link].name); });
  });
}

void ClusterView::fill_flows(const std::function<bool(std::size_t row)>& wanted) {
  constexpr int most_rows = 200;
  flows_->setRowCount(0);
  flows_->hide();
  if (!report_->flows) return;
  const Flows& flows = *report_->flows;
  for (std::size_t i = 0; i < flows.size() && flows_->rowCount() < most_rows; ++i) {
    if (!wanted(i)) continue;
    const int row = flows_->rowCount();
    flows_->insertRow(row);
    const QStringList cells{QString::fromStdString(flows.kind[i]), QString::fromStdString(flows.from[i]),
                            QString::fromStdString(flows.to[i]), text_of(Quantity::bytes, flows.bytes[i])};
    for (int c = 0; c < cells.size(); ++c) flows_->setItem(row, c, new QTableWidgetItem(cells[c]));
    flows_->item(row, 0)->setToolTip(
        tr("from %1 to %2")
            .arg(text_of(Quantity::instant_s, flows.start_s[i]), text_of(Quantity::instant_s, flows.end_s[i])));
  }
  flows_->setVisible(flows_->rowCount() > 0);
}

}  // namespace servecast::gui
