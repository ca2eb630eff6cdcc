#include "gui/view/parts/theme.h"

#include <QString>
#include <algorithm>

namespace servecast::gui {
namespace {

const Theme light{.dark = false,
                  .page = "#f4f6f8",
                  .card = "#ffffff",
                  .border = "#dde2e8",
                  .text = "#1c2733",
                  .muted = "#5b6877",
                  .grid = "#e9edf1",
                  .accent = "#0063a6",
                  .good = "#00734f",
                  .bad = "#b54708",
                  .chosen = "#e69f00",
                  .faint = "#c3ccd6",
                  .ramp_low = "#e6eef6",
                  .ramp_high = "#0a4a85",
                  .series = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d5560"}};

const Theme dark{.dark = true,
                 .page = "#14181d",
                 .card = "#1d232a",
                 .border = "#323b45",
                 .text = "#e6ebf0",
                 .muted = "#9aa7b4",
                 .grid = "#2b333c",
                 .accent = "#56b4e9",
                 .good = "#3fc79a",
                 .bad = "#f0913f",
                 .chosen = "#e69f00",
                 .faint = "#4a5663",
                 .ramp_low = "#26303b",
                 .ramp_high = "#7cc8f5",
                 .series = {"#56b4e9", "#f0913f", "#2fbf92", "#e08fc0", "#f0e442", "#3f8fd0", "#b8c2cc"}};

/// Words with @ stand for colours of the theme.
constexpr const char* style_sheet = R"(
    QToolTip { background: @card; color: @text; border: 1px solid @border; padding: 4px; }
    QFrame#card { background: @card; border: 1px solid @border; border-radius: 6px; }
    QLabel#heading { font-size: 15pt; font-weight: 600; }
    QLabel#muted { color: @muted; }
    QLabel#good { color: @good; font-weight: 600; }
    QLabel#bad { color: @bad; font-weight: 600; }
    QLabel#figure { font-size: 14pt; font-weight: 600; }
    QLabel#notice { background: @card; color: @bad; border: 1px solid @bad; border-radius: 6px; padding: 8px; }
    QTableView, QTreeView, QListView, QPlainTextEdit { border: 1px solid @border; border-radius: 4px; background: @card; gridline-color: @grid; }
    QTreeView::item, QListView::item { padding: 3px; }
    QHeaderView::section { background: @page; color: @muted; border: none; border-bottom: 1px solid @border; padding: 5px 8px; font-weight: 600; }
    QListWidget#navigation { border: none; background: transparent; font-size: 11pt; outline: none; }
    QListWidget#navigation::item { padding: 8px 12px; border-radius: 6px; margin: 1px 6px; }
    QListWidget#navigation::item:selected { background: @accent; color: @card; }
    QListWidget#navigation::item:disabled { color: @faint; }
    QPushButton { border: 1px solid @border; border-radius: 5px; padding: 5px 14px; background: @card; }
    QPushButton:checked { background: @chosen; border-color: @accent; color: @accent; }
    QPushButton:hover { border-color: @accent; }
    QPushButton:disabled { color: @faint; }
    QToolButton#plain { border: 1px solid @border; border-radius: 5px; padding: 5px 12px; background: @card; }
    QToolButton#plain:hover { border-color: @accent; }
    QToolButton#plain:disabled { color: @faint; }
    QToolButton#plain::menu-indicator { image: none; }
    QToolButton#primary { border: 1px solid @accent; border-radius: 5px; padding: 5px 12px; background: @accent; color: @card; font-weight: 600; }
    QToolButton#primary:disabled { background: @faint; border-color: @faint; }
    QPushButton#primary { background: @accent; color: @card; border-color: @accent; font-weight: 600; }
    QPushButton#primary:disabled { background: @faint; border-color: @faint; }
    QLineEdit { border: 1px solid @border; border-radius: 4px; padding: 4px 6px; background: @card; }
    QAbstractItemView QLineEdit { padding: 0 2px; border-radius: 0; }
    QLineEdit:focus { border-color: @accent; }
    QProgressBar { border: 1px solid @border; border-radius: 4px; background: @card; text-align: center; height: 18px; }
    QProgressBar::chunk { background: @accent; border-radius: 3px; }
    QScrollArea { border: none; background: transparent; }
    QSplitter::handle { background: transparent; }
  )";

const Theme& theme(bool is_dark) { return is_dark ? dark : light; }

}  // namespace

QColor Theme::ramp(double share) const {
  const double s = std::clamp(share, 0.0, 1.0);
  const auto mix = [s](float a, float b) { return static_cast<float>(a + (b - a) * s); };
  return QColor::fromRgbF(mix(ramp_low.redF(), ramp_high.redF()), mix(ramp_low.greenF(), ramp_high.greenF()),
                          mix(ramp_low.blueF(), ramp_high.blueF()));
}

const Theme& theme_of(const QPalette& palette) { return theme(palette.color(QPalette::Window).lightness() < 128); }

QPalette palette_of(bool is_dark) {
  const Theme& t = theme(is_dark);
  QPalette palette;
  palette.setColor(QPalette::Window, t.page);
  palette.setColor(QPalette::Base, t.card);
  palette.setColor(QPalette::AlternateBase, is_dark ? t.card.lighter(112) : t.page);
  palette.setColor(QPalette::Button, t.card);
  palette.setColor(QPalette::ToolTipBase, t.card);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText})
    palette.setColor(role, t.text);
  palette.setColor(QPalette::PlaceholderText, t.muted);
  palette.setColor(QPalette::Highlight, t.accent);
  palette.setColor(QPalette::HighlightedText, is_dark ? t.page : t.card);
  palette.setColor(QPalette::Link, t.accent);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, t.faint);
  return palette;
}

QString style_of(bool is_dark) {
  const Theme& t = theme(is_dark);
  QString sheet = style_sheet;
  for (const auto& [name, colour] : {std::pair{"@card", t.card},
                                     {"@page", t.page},
                                     {"@border", t.border},
                                     {"@text", t.text},
                                     {"@muted", t.muted},
                                     {"@good", t.good},
                                     {"@bad", t.bad},
                                     {"@grid", t.grid},
                                     {"@accent", t.accent},
                                     {"@faint", t.faint},
                                     {"@chosen", t.ramp_low}})
    sheet.replace(name, colour.name());
  return sheet;
}

}  // namespace servecast::gui
