#include "calibrate/servers/page/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "calibrate/servers/comparison.h"

namespace servecast {
namespace {

constexpr double width = 520;
constexpr double edge = 60;

// Okabe and Ito's colours: told apart by colour-blind readers, too.
constexpr std::array colours{"#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c564b",
                             "#7f7f7f", "#bcbd22", "#000000", "#aa4499", "#332288", "#44aa99"};
static_assert(colours.size() == regimes.size());

/// Whole powers of ten around all values, as exponents.
struct Decades {
  double low = 0;
  double high = 1;

  double at(double value) const { return edge + (std::log10(value) - low) / (high - low) * (width - 2 * edge); }
};

Decades decades_of(std::span<const ComparedFigure> points) {
  double low = points.front().measured;
  double high = low;
  for (const ComparedFigure& f : points) {
    low = std::min({low, f.measured, *f.forecast});
    high = std::max({high, f.measured, *f.forecast});
  }
  return {.low = std::floor(std::log10(low)), .high = std::ceil(std::log10(high) + 1e-9)};
}

/// From the lower left to the upper right, `factor` above the diagonal.
std::string diagonal(const Decades& axis, double factor, const char* style) {
  const double low = std::pow(10, axis.low);
  const double high = std::pow(10, axis.high);
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", axis.at(low),
                     width - axis.at(low * factor), axis.at(high), width - axis.at(high * factor), style);
}

std::string grid(const Decades& axis, ServerFigure figure) {
  std::string text;
  const char* unit = figure == ServerFigure::output_tokens_per_s ? "" : " s";
  for (double decade = axis.low; decade <= axis.high; ++decade) {
    const double at = axis.at(std::pow(10, decade));
    text += fmt::format("<path d=\"M{0:.1f} {1} V{2} M{1} {3:.1f} H{2}\" stroke=\"#ddd\"/>\n", at, edge, width - edge,
                        width - at);
    text += fmt::format(
        "<text x=\"{0:.1f}\" y=\"{1}\" text-anchor=\"middle\">{2:g}{4}</text>"
        "<text x=\"{5}\" y=\"{3:.1f}\" text-anchor=\"end\">{2:g}{4}</text>\n",
        at, width - edge + 18, std::pow(10, decade), width - at + 4, unit, edge - 6);
  }
  return text;
}

std::string point(const Decades& axis, const ComparedFigure& f) {
  const char* colour = colours[static_cast<std::size_t>(f.regime)];
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" stroke=\"{}\" fill=\"{}\" fill-opacity=\"0.6\"/>\n",
      axis.at(f.measured), width - axis.at(*f.forecast), colour, f.fitting ? "none" : colour);
}

std::string legend(std::span<const ComparedFigure> points) {
  std::string text;
  double y = edge + 14;
  for (const RegimeFacts& regime : regimes) {
    if (std::ranges::none_of(points, [&](const auto& f) { return f.regime == regime.regime; })) continue;
    text +=
        fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text>\n", edge + 10,
                    y - 4, colours[static_cast<std::size_t>(regime.regime)], edge + 20, y, regime.title);
    y += 16;
  }
  return text;
}

}  // namespace

std::string accuracy_picture(ServerFigure figure, std::span<const ComparedFigure> figures) {
  std::vector<ComparedFigure> points;
  std::ranges::copy_if(figures, std::back_inserter(points), [&](const auto& f) {
    return f.figure == figure && f.forecast && *f.forecast > 0 && !f.saturated;
  });
  if (points.empty()) return "";
  const Decades axis = decades_of(points);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {0}\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n"
      "<rect width=\"{0}\" height=\"{0}\" fill=\"white\"/>\n",
      width);
  text += grid(axis, figure);
  text += diagonal(axis, 1, "stroke=\"#555\"");
  for (const double factor : {1.1, 1 / 1.1})
    text += diagonal(axis, factor, "stroke=\"#999\" stroke-dasharray=\"4 3\"");
  for (const ComparedFigure& f : points) text += point(axis, f);
  text += legend(points);
  const char* title = title_of(figure);
  text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">measured {}</text>\n", width / 2, width - 14,
                      title);
  text += fmt::format(
      "<text x=\"16\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0})\">forecast "
      "{1}</text>\n</svg>\n",
      width / 2, title);
  return text;
}

}  // namespace servecast
