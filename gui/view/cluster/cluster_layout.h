#pragma once
#include <QLineF>
#include <QRectF>
#include <QString>
#include <vector>

#include "sim/report/record/platform.h"

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
  /// Links that are drawn as one line: both directions, and where there is little room all NICs of a node.
  struct Link {
    QLineF line{};
    bool between_nodes = false;          // passes behind nodes
    std::vector<std::size_t> members{};  // of Platform::links
  };

  std::vector<Box> nodes{};
  std::vector<Box> parts{};  // switches, hosts, storage
  std::vector<Gpu> gpus{};
  std::vector<Link> links{};
  bool detailed = false;  // room for texts and links inside nodes
};

ClusterLayout lay_out(const Platform& platform, const QSizeF& size);

}  // namespace servecast::gui
