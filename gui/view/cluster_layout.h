#pragma once
#include <QLineF>
#include <QRectF>
#include <QString>
#include <vector>

#include "sim/report/platform.h"

namespace servecast::gui {

/// Where the parts of a cluster are drawn: switches on top, nodes in a grid below, in each node its GPUs between what
/// wires them among themselves (above) and the host (below), as far as there is room for it.
struct ClusterLayout {
  struct Box {
    QRectF place{};
    QString text{};
  };
  struct Gpu {
    QRectF place{};
    std::size_t gpu = 0;  // of Platform::gpus
  };
  /// Both directions of a link.
  struct Link {
    QLineF line{};
    std::size_t first = 0;   // of Platform::links
    std::size_t second = 0;  // the other direction
  };

  std::vector<Box> nodes{};
  std::vector<Box> parts{};  // switches, hosts, storage
  std::vector<Gpu> gpus{};
  std::vector<Link> links{};
  bool detailed = false;  // room for texts and links inside nodes
};

ClusterLayout lay_out(const Platform& platform, const QSizeF& size);

}  // namespace servecast::gui
