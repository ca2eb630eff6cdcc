#pragma once
#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <string_view>

namespace servecast {

/// Where the parts of a parsed YAML text stand in it. yaml-cpp tells where a node starts; this finds where it ends.
/// Offsets are in bytes. Both throw UserError on anchors, aliases, tags and texts over several lines.
class YamlSpans {
 public:
  explicit YamlSpans(std::string_view text) : text_(text) {}

  std::size_t begin(const YAML::Node& node) const;
  /// Just past the node's last character. `inside_flow`: it stands in a {...} or [...].
  std::size_t end(const YAML::Node& node, bool inside_flow) const;
  /// Just past the ':' that follows a key.
  std::size_t after_colon(const YAML::Node& key, bool inside_flow) const;

 private:
  std::size_t scalar_end(std::size_t at, bool inside_flow) const;
  std::size_t quoted_end(std::size_t at) const;
  std::size_t brackets_end(std::size_t at) const;
  std::size_t last_child_end(const YAML::Node& node) const;

  std::string_view text_;
};

inline bool is_flow(const YAML::Node& node) { return node.Style() == YAML::EmitterStyle::Flow; }

}  // namespace servecast
