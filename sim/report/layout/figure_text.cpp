#include "sim/report/layout/figure_text.h"

#include <array>
#include <utility>

#include "models/base/units.h"
#include "sim/report/layout/human.h"

namespace servecast {

using Text = std::string (*)(double);

Text text_of_unit(std::string_view unit, bool count) {
  constexpr std::array<std::pair<std::string_view, Text>, 7> texts{{{"s", human::seconds},
                                                                    {"share, 0 to 1", human::percent},
                                                                    {"bytes", human::bytes},
                                                                    {"J", human::joules},
                                                                    {"W", human::watts},
                                                                    {"USD", human::usd},
                                                                    {"USD/h", human::usd}}};
  for (const auto& [known, text] : texts)
    if (unit == known) return text;
  return count ? human::whole : human::number;
}

Text text_of_figure(const About& about, bool count) {
  return about.figure && about.figure->text ? about.figure->text : text_of_unit(unit_of(about.key), count);
}

}  // namespace servecast
