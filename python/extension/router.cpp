// Router "python": a Python object with `pick(request, views) -> id` chooses; see docs/python.md.
//
// Which one, the setting `name` says: servecast.Scenario.run(router=...) hands it over. It is asked in a process of
// its own, which does nothing else with Python.
#include "models/policy/router.h"

#include <nanobind/nanobind.h>

#include "models/base/error.h"
#include "python/extension/handed.h"
#include "python/extension/replica_views.h"
#include "python/extension/request_view.h"

namespace servecast::python {
namespace {

std::string ids_of(const ReplicaViews& replicas) {
  std::string text;
  std::size_t told = 0;
  for (const ReplicaView& replica : replicas) {
    if (++told > 20) return text + ", ...";
    text += (text.empty() ? "" : ", ") + std::to_string(index(replica.id));
  }
  return text;
}

class PythonRouter final : public Router {
 public:
  struct Settings {
    std::string name;
    void fields(Fields& f) { f.required("name", name, "Python object that was handed over under this name"); }
  };

  explicit PythonRouter(const Settings& settings) : name_(settings.name) {
    const nb::gil_scoped_acquire gil;
    object_ = HandedPolicies::router(name_);
    if (!object_.is_valid()) return;
    pick_ = nb::object(object_.attr("pick"));
    reads_state_ = nb::cast<bool>(nb::getattr(object_, "reads_state", nb::bool_(true)));
    only_picks_ = nb::cast<bool>(nb::getattr(object_, "only_picks", nb::bool_(false)));
  }
  ~PythonRouter() override {
    const nb::gil_scoped_acquire gil;
    object_.reset();
    pick_.reset();
    replicas_ = {};
    request_ = {};
  }

  std::optional<std::string> problem() const override {
    if (object_.is_valid()) return std::nullopt;
    return "no router '" + name_ + "' was handed over; servecast.Scenario.run(router=...) does so";
  }
  RequestNeeds needs() const override { return {.client = true, .priority = true, .deadline = true}; }
  bool reads_state() const override { return reads_state_; }
  bool only_picks() const override { return only_picks_; }

  std::optional<Route> pick(const Request& request, const ReplicaViews& replicas, Rng&) override {
    const nb::gil_scoped_acquire gil;
    return calling("router '" + name_ + "': pick()", [&]() -> std::optional<Route> {
      const nb::object answer = pick_(request_.show(request), replicas_.show(replicas));
      const std::optional<Route> route = route_of(answer, request, replicas);
      request_.done();
      replicas_.done();
      return route;
    });
  }

 private:
  std::optional<Route> route_of(const nb::object& answer, const Request& request,
                                const ReplicaViews& replicas) const {
    if (answer.is_none() && !only_picks_) return std::nullopt;
    std::int64_t id = -1;
    if (const auto* row = nb::isinstance<ReplicaRow>(answer) ? nb::cast<const ReplicaRow*>(answer) : nullptr)
      id = static_cast<std::int64_t>(row->view().id);
    else if (!PyIndex_Check(answer.ptr()) || !nb::try_cast(nb::int_(answer), id))
      refuse(answer, request, replicas);
    if (id < 0 || id > std::numeric_limits<std::uint32_t>::max() || !replicas_.replicas().shows(ReplicaId(id)))
      refuse(answer, request, replicas);
    return Route(ReplicaId(static_cast<std::uint32_t>(id)));
  }

  [[noreturn]] void refuse(const nb::object& answer, const Request& request, const ReplicaViews& replicas) const {
    throw UserError("router '" + name_ + "': pick() answered " + nb::repr(answer).c_str() + " to request " +
                    std::to_string(index(request.id)) + "; it must be the id of one of the replicas shown (" +
                    ids_of(replicas) + ")" + (only_picks_ ? "" : ", or None to turn the request away"));
  }

  std::string name_;
  nb::object object_{};
  nb::object pick_{};
  bool reads_state_ = true;
  bool only_picks_ = false;
  ShownRequest request_{};
  ShownReplicas replicas_{};
};

[[maybe_unused]] const bool added = Registry<Router>::add<PythonRouter>("python", "an object of this Python process");

}  // namespace
}  // namespace servecast::python
