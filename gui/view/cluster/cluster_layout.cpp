#include "gui/view/cluster/cluster_layout.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace servecast::gui {
namespace {

constexpr double gap = 14;
constexpr double switch_height = 26;
constexpr double detailed_height = 128;  // a node needs as much to show what is inside
constexpr double detailed_width = 190;

/// "node0/gpu3/pcie/in" -> "node0/gpu3/pcie".
std::string base_name(const std::string& link) { return link.substr(0, link.rfind('/')); }

/// Lays a platform out into a ClusterLayout, part by part.
class LayoutBuilder {
 public:
  LayoutBuilder(const Platform& platform, const QSizeF& size) : platform_(platform), size_(size) {}

  ClusterLayout build() {
    place_switches();
    place_nodes();
    for (std::size_t i = 0; i < platform_.gpus.size(); ++i) on_node_[platform_.gpus[i].node].push_back(i);
    for (std::size_t i = 0; i < platform_.nodes.size(); ++i) fill_node(i);
    connect();
    if (!platform_.groups.empty()) reach_storage();
    centre();
    return std::move(out_);
  }

 private:
  void place_switches() {
    std::vector<std::string> upper, lower;  // ends of links that are no node and no part of one
    for (const PlatformLink& link : platform_.links)
      for (const std::string& end : {link.from, link.to}) {
        if (end.find('/') != std::string::npos || is_node(end)) continue;
        auto& row = end.starts_with("leaf") || end.starts_with("switch") ? lower : upper;
        if (std::ranges::find(row, end) == row.end()) row.push_back(end);
      }
    if (upper.size() == 2 && lower == std::vector<std::string>{"switch"}) {  // one switch: storage hangs beside it
      std::erase(upper, "fabric");
      same_place_["fabric"] = "switch";
    } else {
      same_place_["fabric"] = "spine";
      std::erase(upper, "fabric");
    }
    top_ = gap;
    for (const auto& row : {upper, lower})
      if (!row.empty()) place_row(row);
  }

  void place_row(const std::vector<std::string>& names) {
    const auto n = static_cast<double>(names.size());
    const double width = std::min(220.0, (size_.width() - gap * (n + 1)) / n);
    double x = (size_.width() - n * width - (n - 1) * gap) / 2;
    for (const std::string& name : names) {
      add_part(name, QRectF(x, top_, width, switch_height), QString::fromStdString(width > 44 ? name : ""));
      x += width + gap;
    }
    top_ += switch_height + 30;
  }

  void place_nodes() {
    const auto n = static_cast<double>(platform_.nodes.size());
    const double room = size_.height() - top_ - gap;
    double best = 0;
    for (double columns = 1; columns <= n; ++columns) {
      const double rows = std::ceil(n / columns);
      const double width = (size_.width() - gap * (columns + 1)) / columns;
      const double height = std::min(260.0, (room - gap * (rows - 1)) / rows);
      const double score = std::min(width / 2.2, height);  // nodes look right about twice as wide as high
      if (score > best) best = score, columns_ = columns, node_ = {std::min(width, height * 4.5), height};
    }
    out_.detailed = node_.height() >= detailed_height && node_.width() >= detailed_width;
    const double used = columns_ * node_.width() + (columns_ - 1) * gap;
    for (std::size_t i = 0; i < platform_.nodes.size(); ++i) {
      const double column = std::fmod(static_cast<double>(i), columns_);
      const double row = std::floor(static_cast<double>(i) / columns_);
      const QRectF place((size_.width() - used) / 2 + column * (node_.width() + gap),
                         top_ + row * (node_.height() + gap), node_.width(), node_.height());
      const PlatformNode& node = platform_.nodes[i];
      const QString text = QString::fromStdString(node.name + group_text(node.name) + "  ·  " + node.kind);
      out_.nodes.push_back({place, out_.detailed ? text : QString()});
      where_[node.name] = place;
    }
  }

  void fill_node(std::size_t index) {
    const QRectF node = out_.nodes[index].place;
    const std::string& name = platform_.nodes[index].name;
    const std::vector<std::size_t>& gpus = on_node_[name];
    if (gpus.empty()) return;
    const double disk_width = std::max(52.0, node.width() / 8);  // at the end of the host's row, beside the GPUs
    const QRectF inner = out_.detailed ? node.adjusted(12, 56, -24 - disk_width, -46) : node.adjusted(3, 3, -3, -3);
    const auto n = static_cast<double>(gpus.size());
    double columns = n;
    if (!out_.detailed) columns = std::ceil(std::sqrt(n * inner.width() / inner.height()));
    const double rows = std::ceil(n / columns);
    columns = std::ceil(n / rows);  // rows of equal length
    const double space = out_.detailed ? 8 : 2;
    const double width = (inner.width() - space * (columns - 1)) / columns;
    const double height = (inner.height() - space * (rows - 1)) / rows;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const double column = std::fmod(static_cast<double>(i), columns),
                   row = std::floor(static_cast<double>(i) / columns);
      const double narrow = std::min(width, out_.detailed ? 96.0 : width);
      const QRectF place(inner.left() + column * (width + space) + (width - narrow) / 2,
                         inner.top() + row * (height + space), narrow, height);
      out_.gpus.push_back({place, gpus[i]});
      where_[platform_.gpus[gpus[i]].name] = place;
    }
    if (!out_.detailed) return;
    if (has_nvlink(name))
      add_part(name + "#nvlink", QRectF(inner.left(), node.top() + 28, inner.width(), 14), "NVLink");
    add_part(name + "/host", QRectF(inner.left(), node.bottom() - 28, inner.width(), 18), QStringLiteral("host"));
    add_part(name + "/disk", QRectF(node.right() - 12 - disk_width, node.bottom() - 28, disk_width, 18), "NVMe");
  }

  /// Into the middle of what is left below.
  void centre() {
    double bottom = top_;
    for (const ClusterLayout::Box& node : out_.nodes) bottom = std::max(bottom, node.place.bottom());
    const double down = std::max(0.0, (size_.height() - bottom) / 2);
    for (auto* boxes : {&out_.nodes, &out_.parts})
      for (ClusterLayout::Box& box : *boxes) box.place.translate(0, down);
    for (ClusterLayout::Gpu& gpu : out_.gpus) gpu.place.translate(0, down);
    for (ClusterLayout::Link& link : out_.links) link.line.translate(0, down);
  }

  bool has_nvlink(const std::string& node) const {
    return std::ranges::any_of(platform_.links, [&](const PlatformLink& link) {
      return link.kind == "nvlink" && link.name.starts_with(node + "/");
    });
  }

  void connect() {
    std::map<std::string, std::size_t> drawn;  // by the name of what is one line
    std::map<std::string, int> ports;          // used on a node so far
    for (std::size_t i = 0; i < platform_.links.size(); ++i) {
      const PlatformLink& link = platform_.links[i];
      const bool bundle = link.kind == "nic" && !out_.detailed;
      const auto [known, is_new] =
          drawn.emplace(bundle ? base_of_part(link) : base_name(link.name), out_.links.size());
      if (!is_new) {
        if (known->second < out_.links.size()) out_.links[known->second].members.push_back(i);
        continue;
      }
      if (const auto line = line_of(link, ports))
        out_.links.push_back({*line, link.kind == "nic" || is_switch_link(link), {i}});
      else
        known->second = platform_.links.size();  // not drawn
    }
  }

  /// Every group has a way to the storage: a line to the top of each network.
  void reach_storage() {
    ClusterLayout::Link storage{.line = {}, .between_nodes = true};
    std::vector<std::string> tops;
    for (std::size_t i = 0; i < platform_.links.size(); ++i) {
      const PlatformLink& link = platform_.links[i];
      if (link.kind == "storage") storage.members.push_back(i);
      for (const std::string& end : {link.from, link.to})
        if ((end.starts_with("switch") || end.starts_with("spine")) && std::ranges::find(tops, end) == tops.end())
          tops.push_back(end);
    }
    if (storage.members.empty()) return;
    for (const std::string& top : tops) {
      storage.line = between(place_of("storage"), place_of(top));
      out_.links.push_back(storage);
    }
  }

  /// From where to where a link is drawn; none: there is no room for it.
  std::optional<QLineF> line_of(const PlatformLink& link, std::map<std::string, int>& ports) {
    const bool of_gpu = is_gpu(base_of_part(link));
    if (link.kind == "nic") return nic_line(link, ports);
    if (!out_.detailed && !is_switch_link(link)) return std::nullopt;
    if (of_gpu) {
      const QRectF gpu = where_[base_of_part(link)];
      const std::string node = base_name(base_of_part(link));
      if (link.kind == "nvlink")
        return QLineF(gpu.center().x(), gpu.top(), gpu.center().x(), where_[node + "#nvlink"].bottom());
      return QLineF(gpu.center().x(), gpu.bottom(), gpu.center().x(), where_[node + "/host"].top());
    }
    if (link.kind == "nvme") {
      const QRectF host = where_[link.from.ends_with("/host") ? link.from : link.to];
      return QLineF(host.right(), host.center().y(),
                    where_[base_name(link.name.substr(0, link.name.rfind('/'))) + "/disk"].left(), host.center().y());
    }
    if (!is_switch_link(link)) return std::nullopt;  // PCIe roots: inside the host's box
    if (link.kind == "storage" && !platform_.groups.empty()) return std::nullopt;  // see reach_storage()
    return between(place_of(link.from), place_of(link.to));
  }

  static QLineF between(const QRectF& a, const QRectF& b) {
    if (std::abs(a.center().y() - b.center().y()) < 1)
      return QLineF(a.left() < b.left() ? a.right() : a.left(), a.center().y(),
                    a.left() < b.left() ? b.left() : b.right(), b.center().y());
    const QRectF& above = a.top() < b.top() ? a : b;
    const QRectF& below = a.top() < b.top() ? b : a;
    return QLineF(above.center().x(), above.bottom(), below.center().x(), below.top());
  }

  QLineF nic_line(const PlatformLink& link, std::map<std::string, int>& ports) {
    const std::string node = is_node(link.from) ? link.from : link.to;
    const QRectF place = where_[node], above = place_of(is_node(link.from) ? link.to : link.from);
    const int port = ports[node]++;
    const double spread = 9;
    const double offset = out_.detailed ? port - 3.5 : 0;
    const double x = place.center().x() + offset * spread;
    const double share = std::clamp((place.center().x() - above.left()) / above.width(), 0.08, 0.92);
    return {QPointF(above.left() + share * above.width() + offset * 4, above.bottom()), QPointF(x, place.top())};
  }

  /// "node0/gpu3/pcie/out" -> "node0/gpu3".
  static std::string base_of_part(const PlatformLink& link) { return base_name(base_name(link.name)); }
  bool is_switch_link(const PlatformLink& link) const {
    return link.kind == "fabric" || link.kind == "storage" || link.kind == "trunk";
  }
  /// Of a cluster with several groups: which one a node is in.
  std::string group_text(const std::string& node) const {
    for (const PlatformGroup& group : platform_.groups)
      if (std::ranges::find(group.nodes, node) != group.nodes.end()) return "  ·  " + group.name;
    return {};
  }
  bool is_node(const std::string& name) const {
    return std::ranges::any_of(platform_.nodes, [&](const PlatformNode& node) { return node.name == name; });
  }
  bool is_gpu(const std::string& name) const {
    return std::ranges::find(platform_.gpus, name, &PlatformGpu::name) != platform_.gpus.end();
  }
  QRectF place_of(const std::string& name) {
    const auto other = same_place_.find(name);
    return where_[where_.contains(name) || other == same_place_.end() ? name : other->second];
  }
  void add_part(const std::string& name, const QRectF& place, const QString& text) {
    where_[name] = place;
    out_.parts.push_back({place, text});
  }

  const Platform& platform_;
  QSizeF size_;
  ClusterLayout out_{};
  double top_ = 0;
  double columns_ = 1;
  QSizeF node_{};
  std::map<std::string, QRectF> where_{};
  std::map<std::string, std::string> same_place_{};
  std::map<std::string, std::vector<std::size_t>> on_node_{};
};

}  // namespace

ClusterLayout lay_out(const Platform& platform, const QSizeF& size) { return LayoutBuilder(platform, size).build(); }

}  // namespace servecast::gui
