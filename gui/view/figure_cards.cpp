#include "gui/view/figure_cards.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/data/quantity.h"

namespace servecast::gui {
namespace {

QString text(Quantity quantity, std::optional<double> value) {
  return text_of(quantity, value.value_or(std::nan("")));
}

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

Card promise(const Summary& s) {
  if (!s.slo.attained_fraction) return {FigureCards::tr("SLO"), "—", FigureCards::tr("nothing promised"), "figure"};
  const QString asked = text(Quantity::fraction, s.slo.target_fraction);
  return {FigureCards::tr("Within the SLO"), text(Quantity::fraction, s.slo.attained_fraction),
          s.slo.met() ? FigureCards::tr("SLO met: %1 asked").arg(asked) : FigureCards::tr("SLO missed: %1 asked").arg(asked),
          s.slo.met() ? "good" : "bad"};
}

Card latency(const QString& title, const std::optional<Statistics>& all) {
  if (!all) return {title, "—", {}};
  return {title + " p99", text(Quantity::latency_s, all->p99),
          FigureCards::tr("median %1").arg(text(Quantity::latency_s, all->p50))};
}

std::vector<QWidget*> cards_of(const Summary& s) {
  const auto lost = s.requests.arrived - s.requests.completed;
  const std::vector<Card> cards{
      promise(s),
      latency("TTFT", s.latencies.ttft_s),
      latency("TPOT", s.latencies.tpot_s),
      latency("E2E", s.latencies.e2e_s),
      {FigureCards::tr("Requests"), text(Quantity::count, static_cast<double>(s.requests.completed)),
       lost > 0 ? FigureCards::tr("%1 not completed").arg(text(Quantity::count, static_cast<double>(lost)))
                : FigureCards::tr("all completed")},
      {FigureCards::tr("Output"), text(Quantity::tokens_per_s, s.output_tokens_per_s),
       FigureCards::tr("%1 requests/s").arg(text(Quantity::number, s.requests_per_s))},
      {FigureCards::tr("Cost"), text(Quantity::usd, s.cost.usd_per_hour) + "/h",
       FigureCards::tr("%1 per M tokens").arg(text(Quantity::usd, s.cost.usd_per_million_output_tokens))},
      {FigureCards::tr("Energy"), text(Quantity::joules, s.energy.j_total),
       FigureCards::tr("%1 per token").arg(text(Quantity::joules, s.energy.j_per_output_token))},
  };
  std::vector<QWidget*> widgets;
  for (const Card& card : cards) widgets.push_back(make(card));
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
