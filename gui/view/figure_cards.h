#pragma once
#include <QWidget>
#include <vector>

#include "sim/report/summary.h"

namespace servecast::gui {

/// The figures that one looks at first, each on a card: promise kept, latencies, throughput, cost, energy.
std::vector<QWidget*> figure_cards(const Summary& summary);

}  // namespace servecast::gui
