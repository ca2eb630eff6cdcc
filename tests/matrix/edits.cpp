#include "tests/matrix/edits.h"

#include <algorithm>

namespace servecast::matrix {
namespace {

using Pointer = Tree::json_pointer;

void list(const Tree& tree, const Pointer& at, std::vector<std::pair<int, std::string>>& parts, int depth) {
  if (!tree.is_structured()) return;
  for (const auto& [key, part] : tree.items()) {
    const Pointer below = tree.is_array() ? at / std::stoul(key) : at / key;
    parts.emplace_back(depth, below.to_string());
    list(part, below, parts, depth + 1);
  }
}

/// Numbers of list entries stay as they are until all edits are made: what is left out is empty until then.
void drop_left_out(Tree& tree) {
  if (!tree.is_structured()) return;
  for (auto at = tree.begin(); at != tree.end();) {
    if (at->is_null()) {
      at = tree.erase(at);
      continue;
    }
    drop_left_out(*at);
    ++at;
  }
}

}  // namespace

std::vector<std::string> parts_of(const Tree& scenario) {
  std::vector<std::pair<int, std::string>> parts;
  list(scenario, Pointer(), parts, 0);
  std::ranges::stable_sort(parts, {}, &std::pair<int, std::string>::first);
  std::vector<std::string> pointers;
  for (const auto& [depth, pointer] : parts) pointers.push_back(pointer);
  return pointers;
}

void edit(Tree& scenario, const std::vector<std::string>& edits) {
  for (const std::string& one : edits) {
    const std::size_t equals = one.find('=');
    const Pointer at(one.substr(0, equals));
    if (equals != std::string::npos)
      scenario[at] = Tree::parse(one.substr(equals + 1));
    else if (scenario.contains(at))
      scenario[at] = nullptr;
  }
  drop_left_out(scenario);
}

}  // namespace servecast::matrix
