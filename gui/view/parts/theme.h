#pragma once
#include <QColor>
#include <QPalette>
#include <array>

namespace servecast::gui {

/// Colours that a palette has no role for. Series follow Okabe and Ito (jfly.uni-koeln.de/color): told apart by
/// colour-blind eyes, and here also in order of lightness where that was possible.
struct Theme {
  bool dark = false;
  QColor page{}, card{}, border{}, text{}, muted{}, grid{}, accent{}, good{}, bad{}, chosen{}, faint{};
  QColor ramp_low{}, ramp_high{};  // shares from 0 to 1: one hue, lightness alone tells them apart
  std::array<QColor, 7> series{};

  QColor ramp(double share) const;
  const QColor& of_series(std::size_t i) const { return series[i % series.size()]; }
};

/// The theme that goes with a palette: dark where its window is.
const Theme& theme_of(const QPalette& palette);
/// The palette of a theme.
QPalette palette_of(bool dark);
/// Style sheet of the application: cards, buttons, tables.
QString style_of(bool dark);

}  // namespace servecast::gui
