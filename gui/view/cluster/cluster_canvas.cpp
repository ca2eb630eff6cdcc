#include "gui/view/cluster/cluster_canvas.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "gui/data/words/quantity.h"
#include "gui/data/words/tip.h"
#include "gui/view/parts/theme.h"

namespace servecast::gui {
namespace {

constexpr double scale_height = 34;

double distance(const QLineF& line, const QPointF& at) {
  const QPointF along = line.p2() - line.p1();
  const double length2 = QPointF::dotProduct(along, along);
  const double share = length2 == 0 ? 0 : std::clamp(QPointF::dotProduct(at - line.p1(), along) / length2, 0.0, 1.0);
  return QLineF(line.p1() + share * along, at).length();
}

/// That computes, so that its share says something.
bool works(std::string_view state) { return state == "serving" || state == "draining"; }

QString state_name(std::string_view state) {
  if (state == "broken") return ClusterCanvas::tr("broken");
  if (state == "starting") return ClusterCanvas::tr("starting");
  if (state == "warm") return ClusterCanvas::tr("warm");
  if (state == "off") return ClusterCanvas::tr("off");
  if (state == "free") return ClusterCanvas::tr("free");
  return QString::fromUtf8(state.data(), static_cast<qsizetype>(state.size()));  // of a later version
}

}  // namespace

ClusterCanvas::ClusterCanvas(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setMinimumSize(240, 240);
}

void ClusterCanvas::show_report(const Report* report) {
  report_ = report != nullptr && report->platform ? report : nullptr;
  selected_gpu_ = selected_link_ = -1;
  replica_of_.clear();
  if (report_ != nullptr) {
    const Platform& platform = *report_->platform;
    replica_of_.assign(platform.gpus.size(), -1);
    for (const PlatformReplica& replica : platform.replicas) {
      if (replica.replica < 0 || replica.replica >= static_cast<std::int64_t>(platform.replicas.size())) continue;
      for (const std::string& name : replica.gpus)
        for (std::size_t gpu = 0; gpu < platform.gpus.size(); ++gpu)
          if (platform.gpus[gpu].name == name) replica_of_[gpu] = static_cast<int>(replica.replica);
    }
    find_links();
  }
  lay_out_again();
  set_time(0);
}

void ClusterCanvas::find_links() {
  const std::vector<PlatformLink>& links = report_->platform->links;
  sampled_links_.clear();
  if (!report_->links) return;
  for (const std::string& name : report_->links->link.names)
    sampled_links_.push_back(
        static_cast<std::size_t>(std::ranges::find(links, name, &PlatformLink::name) - links.begin()));
}

void ClusterCanvas::lay_out_again() {
  layout_ = report_ ? lay_out(*report_->platform, QSizeF(width(), height() - scale_height)) : ClusterLayout{};
  update();
}

void ClusterCanvas::set_time(double time_s) {
  time_s_ = time_s;
  if (report_ == nullptr) return;
  busy_.assign(report_->platform->replicas.size(), 0);
  kv_ = busy_;
  states_.assign(busy_.size(), "serving");
  if (report_->replicas) {
    const ReplicaSamples& samples = *report_->replicas;
    const auto [first, last] = samples.rows_at(time_s);
    for (std::size_t row = first; row < last; ++row) {
      const auto replica = static_cast<std::size_t>(samples.replica[row]);
      if (replica >= busy_.size()) continue;
      busy_[replica] = samples.busy_fraction[row];
      kv_[replica] = samples.kv_used_fraction[row];
      if (!samples.state.empty()) states_[replica] = samples.state[row];
    }
  }
  link_used_.assign(report_->platform->links.size(), 0);
  if (report_->links) {
    const std::vector<double> shares = report_->links->used_at(time_s);
    for (std::size_t i = 0; i < shares.size(); ++i)
      if (sampled_links_[i] < link_used_.size()) link_used_[sampled_links_[i]] = shares[i];
  }
  update();
}

void ClusterCanvas::set_colour(ColourBy by) {
  by_ = by;
  update();
}

void ClusterCanvas::select_gpu(int gpu) {
  selected_gpu_ = gpu;
  selected_link_ = -1;
  update();
}

double ClusterCanvas::share_of(std::size_t gpu) const {
  const int replica = replica_of_[gpu];
  if (replica < 0 || static_cast<std::size_t>(replica) >= busy_.size()) return 0;
  return (by_ == ColourBy::kv ? kv_ : busy_)[static_cast<std::size_t>(replica)];
}

std::string_view ClusterCanvas::state_of(std::size_t gpu) const {
  const int replica = replica_of_[gpu];
  return replica < 0 || static_cast<std::size_t>(replica) >= states_.size() ? "free"
                                                                            : states_[static_cast<std::size_t>(replica)];
}

QString ClusterCanvas::doing(std::size_t gpu) const {
  const std::string_view state = state_of(gpu);
  if (!works(state)) return state_name(state);
  const double share = share_of(gpu);
  if (by_ != ColourBy::kv && share == 0) return tr("idle");
  return QString("%1 %").arg(share * 100, 0, 'f', 0);
}

QColor ClusterCanvas::fill_of(std::size_t gpu) const {
  const Theme& t = theme_of(palette());
  const std::string_view state = state_of(gpu);
  if (state == "broken") return t.bad;
  return works(state) && by_ != ColourBy::links ? t.ramp(share_of(gpu)) : t.page;
}

double ClusterCanvas::used(const ClusterLayout::Link& link) const {
  double most = 0;
  for (const std::size_t member : link.members) most = std::max(most, link_used_[member]);
  return most;
}

void ClusterCanvas::paint_links(QPainter& painter, bool between_nodes) const {
  const Theme& t = theme_of(palette());
  for (const ClusterLayout::Link& link : layout_.links) {
    if (link.between_nodes != between_nodes) continue;
    const double share = used(link);
    const bool selected = static_cast<int>(link.members.front()) == selected_link_;
    const QColor colour = selected ? t.chosen : share > 0 ? t.ramp(0.35 + 0.65 * share) : t.faint;
    painter.setPen(QPen(colour, selected ? 3 : 1 + 3 * std::min(1.0, share)));
    painter.drawLine(link.line);
  }
}

void ClusterCanvas::paint_gpus(QPainter& painter) const {
  const Theme& t = theme_of(palette());
  for (const ClusterLayout::Gpu& gpu : layout_.gpus) {
    const bool selected = static_cast<int>(gpu.gpu) == selected_gpu_;
    const QColor fill = fill_of(gpu.gpu);
    painter.setBrush(fill);
    painter.setPen(QPen(selected ? t.chosen : t.border, selected ? 3 : layout_.detailed ? 1 : 0.5));
    painter.drawRoundedRect(gpu.place, layout_.detailed ? 4 : 1, layout_.detailed ? 4 : 1);
    if (!layout_.detailed || gpu.place.width() < 26) continue;
    const bool on_dark = fill.lightnessF() < 0.55f;
    const bool asleep = !works(state_of(gpu.gpu)) && state_of(gpu.gpu) != "broken";
    painter.setPen(asleep ? t.muted : on_dark ? QColor("#ffffff") : QColor("#14202b"));
    QString text =
        QString("GPU %1").arg(QString::fromStdString(report_->platform->gpus[gpu.gpu].name).section("gpu", -1));
    const bool narrow = gpu.place.width() < 52;
    if (narrow) text.remove("GPU ");
    if (by_ != ColourBy::links || !works(state_of(gpu.gpu))) text += "\n" + doing(gpu.gpu);
    painter.drawText(gpu.place, Qt::AlignCenter, text);
  }
}

void ClusterCanvas::paint_scale(QPainter& painter) const {
  const Theme& t = theme_of(palette());
  const QRectF bar(16, height() - 22, 160, 10);
  QLinearGradient gradient(bar.topLeft(), bar.topRight());
  for (int i = 0; i <= 8; ++i) gradient.setColorAt(i / 8.0, t.ramp(i / 8.0));
  painter.setPen(QPen(t.border, 1));
  painter.setBrush(gradient);
  painter.drawRect(bar);
  painter.setPen(t.muted);
  const QString what = by_ == ColourBy::busy ? tr("busy share of the second")
                       : by_ == ColourBy::kv ? tr("KV blocks in use")
                                             : tr("share of the link's capacity");
  painter.drawText(QPointF(bar.right() + 10, bar.bottom()), tr("0 to 100 %, %1").arg(what));
}

void ClusterCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Theme& t = theme_of(palette());
  painter.setPen(QPen(t.border, 1));
  painter.setBrush(t.card);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  if (report_ == nullptr) {
    painter.setPen(t.muted);
    painter.drawText(rect(), Qt::AlignCenter,
                     tr("There is no report with a cluster to see.\nRun with the detail “cluster”."));
    return;
  }
  paint_links(painter, true);
  for (const ClusterLayout::Box& node : layout_.nodes) {
    painter.setPen(QPen(t.border, 1));
    painter.setBrush(t.dark ? t.card.lighter(118) : t.page);
    painter.drawRoundedRect(node.place, 6, 6);
    painter.setPen(t.muted);
    painter.drawText(node.place.adjusted(12, 7, -8, 0), Qt::AlignLeft | Qt::AlignTop, node.text);
  }
  paint_links(painter, false);
  for (const ClusterLayout::Box& part : layout_.parts) {
    painter.setPen(QPen(t.border, 1));
    painter.setBrush(t.card);
    painter.drawRoundedRect(part.place, 4, 4);
    painter.setPen(t.muted);
    painter.drawText(part.place, Qt::AlignCenter, part.text);
  }
  paint_gpus(painter);
  paint_scale(painter);
}

void ClusterCanvas::resizeEvent(QResizeEvent*) { lay_out_again(); }

int ClusterCanvas::gpu_at(const QPointF& at) const {
  for (const ClusterLayout::Gpu& gpu : layout_.gpus)
    if (gpu.place.contains(at)) return static_cast<int>(gpu.gpu);
  return -1;
}

const ClusterLayout::Link* ClusterCanvas::link_at(const QPointF& at) const {
  constexpr double reach = 5;
  const ClusterLayout::Link* best = nullptr;
  double nearest = reach;
  for (const ClusterLayout::Link& link : layout_.links)
    if (const double d = distance(link.line, at); d < nearest)
      nearest = d, best = &link;
  return best;
}

void ClusterCanvas::mousePressEvent(QMouseEvent* event) {
  if (report_ == nullptr) return;
  selected_gpu_ = gpu_at(event->position());
  const ClusterLayout::Link* link = selected_gpu_ < 0 ? link_at(event->position()) : nullptr;
  selected_link_ = link ? static_cast<int>(link->members.front()) : -1;
  if (selected_gpu_ >= 0) emit gpu_clicked(selected_gpu_);
  if (link) emit link_clicked(link->members);
  update();
}

bool ClusterCanvas::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || report_ == nullptr) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const int gpu = gpu_at(help->pos());
  const ClusterLayout::Link* link = gpu < 0 ? link_at(help->pos()) : nullptr;
  QString text;
  if (gpu >= 0) {
    const auto& one = report_->platform->gpus[static_cast<std::size_t>(gpu)];
    text = QString::fromStdString(one.name + "  " + one.kind) + "\n" + doing(static_cast<std::size_t>(gpu));
  } else if (link) {
    const PlatformLink& one = report_->platform->links[link->members.front()];
    text = QString::fromStdString(one.name).section('/', 0, -2) + "  " + text_of(Quantity::bytes, one.bytes_per_s) +
           "/s";
  }
  QToolTip::showText(help->globalPos(), text.isEmpty() ? text : as_tip(text), this);
  return true;
}

}  // namespace servecast::gui
