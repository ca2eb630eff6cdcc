#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace servecast {

/// A table whose entries are worked out when they are first asked for, and its memory taken then: most runs see few
/// of the sizes that they may have. For one thread.
template <class Value>
class Memo {
 public:
  explicit Memo(std::size_t size) : size_(size) {}

  std::size_t size() const { return size_; }
  /// Stays where it is. `work_out()` gives the entry.
  template <class WorkOut>
  const Value& at(std::size_t i, const WorkOut& work_out) const {
    if (values_.empty()) values_.resize(size_);
    std::optional<Value>& value = values_[i];
    if (!value) value = work_out();
    return *value;
  }

 private:
  std::size_t size_;
  mutable std::vector<std::optional<Value>> values_{};
};

}  // namespace servecast
