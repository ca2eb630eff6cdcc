#include "gui/view/pages/figure_cards.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/data/tables/comparison.h"

namespace servecast::gui {
namespace {

struct Card {
  QString title{};
  QString figure{};
  QString below{};
  const char* style = "figure";  // or "good", "bad"
};

QWidget* make(const Card& card) {
  auto* frame = new QFrame;
  frame->setObjectName("card");
  auto* column = new QVBoxLayout(frame);
  column->setContentsMargins(14, 9, 14, 9);
  column->setSpacing(2);
  const auto add = [&](const QString& words, const char* style) {
    auto* label = new QLabel(words);
    label->setObjectName(style);
    label->setTextFormat(Qt::PlainText);
    column->addWidget(label);
    return label;
  };
  add(card.title, "muted");
  QLabel* figure = add(card.figure, card.style);
  QFont large = figure->font();
  large.setPointSizeF(large.pointSizeF() * 1.45);
  large.setWeight(QFont::DemiBold);
  figure->setFont(large);
  add(card.below, "muted");
  return frame;
}

QString text(const FigureValues& values, const char* key) {
  const auto value = values.of(key);
  return value ? QString::fromStdString(figure(key).text(*value)) : QString("—");
}

Card promise(const Summary& s, const FigureValues& values) {
  if (!s.slo.attained_fraction) return {FigureCards::tr("SLO"), "—", FigureCards::tr("nothing promised"), "figure"};
  const QString asked = text(values, "slo.target_fraction");
  return {FigureCards::tr("Within the SLO"), text(values, "slo.attained_fraction"),
          s.slo.met() ? FigureCards::tr("SLO met: %1 asked").arg(asked)
                      : FigureCards::tr("SLO missed: %1 asked").arg(asked),
          s.slo.met() ? "good" : "bad"};
}

std::vector<QWidget*> cards_of(const Summary& s) {
  const FigureValues values(s);
  const auto card = [&](const QString& title, const char* key, const QString& below, const char* key_below,
                        const char* behind = "") {
    return Card{title, text(values, key) + behind, below.arg(text(values, key_below))};
  };
  const auto latency = [&](const char* p99, const char* median) {
    return card(heading_of(figure(p99)), p99, FigureCards::tr("median %1"), median);
  };
  const bool all_completed = s.requests.arrived == s.requests.completed;
  const std::vector<Card> cards{
      promise(s, values),
      latency("ttft_s.p99", "ttft_s.p50"),
      latency("tpot_s.p99", "tpot_s.p50"),
      latency("e2e_s.p99", "e2e_s.p50"),
      {FigureCards::tr("Requests"), text(values, "requests.completed"),
       all_completed ? FigureCards::tr("all completed")
                     : FigureCards::tr("%1 not completed").arg(text(values, "not_completed"))},
      card(FigureCards::tr("Output"), "output_tokens_per_s", FigureCards::tr("%1 requests/s"), "requests_per_s",
           "/s"),
      card(FigureCards::tr("Cost"), "cost.usd_per_hour", FigureCards::tr("%1 per M tokens"),
           "cost.usd_per_million_output_tokens", "/h"),
      card(FigureCards::tr("Energy"), "energy.j_total", FigureCards::tr("%1 per token"), "energy.j_per_output_token"),
  };
  std::vector<QWidget*> widgets;
  for (const Card& one : cards) widgets.push_back(make(one));
  return widgets;
}

}  // namespace

FigureCards::FigureCards(QWidget* parent) : QWidget(parent) {
  grid_ = new QGridLayout(this);
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setSpacing(10);
}

void FigureCards::show_summary(const Summary& summary) {
  for (QWidget* card : cards_) delete card;
  cards_ = cards_of(summary);
  columns_ = 0;
  int widest = 0;
  for (const QWidget* card : cards_) widest = std::max(widest, card->minimumSizeHint().width());
  card_width_ = widest + grid_->spacing();
  setMinimumWidth(2 * card_width_);  // not that of all cards in a row
  arrange();
}

void FigureCards::arrange() {
  const int all = static_cast<int>(cards_.size());
  if (all == 0) return;
  const int rows = (all + std::clamp(width() / card_width_, 2, all) - 1) / std::clamp(width() / card_width_, 2, all);
  const int columns = (all + rows - 1) / rows;
  if (columns == columns_) return;
  for (int i = 0; i < std::max(columns, columns_); ++i) grid_->setColumnStretch(i, i < columns ? 1 : 0);
  columns_ = columns;
  for (int i = 0; i < all; ++i) grid_->addWidget(cards_[static_cast<std::size_t>(i)], i / columns, i % columns);
}

void FigureCards::resizeEvent(QResizeEvent*) { arrange(); }

}  // namespace servecast::gui
