#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/input/scenario/gpu_places.h"

namespace servecast {

class NodeGroups;
struct Pool;
struct YamlText;

/// Hands out the GPUs of a cluster to pools, one pool after another.
class GroupAllocator {
 public:
  explicit GroupAllocator(const NodeGroups& groups);

  /// The group whose nodes carry a pool: the one that it names, or the first whose nodes have its GPU and room for
  /// all of its replicas; where none has room, the first that has its GPU, so that place() says what is missing.
  /// None: what is wrong is left in the text's problems. `path`: of the pool.
  std::optional<std::size_t> choose(YamlText& text, const std::string& path, const Pool& pool) const;

  /// GPUs of its group for all replicas of a pool, or a problem.
  void place(YamlText& text, const std::string& path, Pool& pool);

 private:
  bool has_room(const Pool& pool, std::size_t group) const;

  const NodeGroups& groups_;
  std::vector<GpuAllocator> allocators_{};  // by group
};

/// What is wrong where no link leads from one pool's group to another's; empty: KV can go there.
std::string link_problem(const Pool& from, const Pool& to, const NodeGroups& groups);

}  // namespace servecast
