#pragma once
#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "models/policy/router.h"

namespace servecast::python {

namespace nb = nanobind;

/// A replica as a policy in Python sees it: a row of the views, read when it is asked for.
struct ReplicaRow {
  std::shared_ptr<std::vector<ReplicaView>> rows{};
  std::size_t place = 0;

  const ReplicaView& view() const { return (*rows)[place]; }
};

/// The replicas of a pool as a policy in Python sees them. Their numbers are copied into one array of its own for
/// each question, so that what Python keeps of it never dangles; its objects stay while the replicas are the same
/// ones.
class Replicas {
 public:
  void show(const ReplicaViews& replicas);
  /// The policy has answered: asking the pool is over.
  void done();

  std::size_t size() const { return rows_->size(); }
  const nb::list& items() const { return items_; }
  /// A NumPy array over the same memory, one field for each number; read-only.
  nb::object array();
  /// Throws ValueError outside a question.
  const PoolProbe& probe() const;
  /// Those that decode what these have prefilled: another object where another pool does.
  nb::object decoding(nb::handle self);
  bool shows(ReplicaId id) const;

 private:
  void make_items();

  std::shared_ptr<std::vector<ReplicaView>> rows_ = std::make_shared<std::vector<ReplicaView>>();
  nb::list items_{};
  nb::object array_{};
  nb::object decoding_{};
  const ReplicaViews* now_ = nullptr;
  std::uint64_t membership_version_ = 0;
};

/// One per policy: what it is shown, and what it answers.
class ShownReplicas {
 public:
  nb::handle show(const ReplicaViews& replicas);
  void done();
  const Replicas& replicas() const { return *replicas_; }

 private:
  nb::object object_{};
  Replicas* replicas_ = nullptr;
};

void bind_replicas(nb::module_& m);

}  // namespace servecast::python
