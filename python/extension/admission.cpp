// Admission "python": a Python object with `admits(request, views) -> bool` decides; see docs/python.md.
//
// It may have `admits_decode(request, views) -> bool`, too, which is asked before KV is handed over to another pool.
#include "models/policy/admission.h"

#include <nanobind/nanobind.h>

#include "models/base/error.h"
#include "python/extension/handed.h"
#include "python/extension/replica_views.h"
#include "python/extension/request_view.h"

namespace servecast::python {
namespace {

class PythonAdmission final : public Admission {
 public:
  struct Settings {
    std::string name;
    void fields(Fields& f) { f.required("name", name, "Python object that was handed over under this name"); }
  };

  explicit PythonAdmission(const Settings& settings) : name_(settings.name) {
    const nb::gil_scoped_acquire gil;
    object_ = HandedPolicies::admission(name_);
    if (!object_.is_valid()) return;
    admits_ = nb::object(object_.attr("admits"));
    if (nb::hasattr(object_, "admits_decode")) admits_decode_ = nb::object(object_.attr("admits_decode"));
    reads_state_ = nb::cast<bool>(nb::getattr(object_, "reads_state", nb::bool_(true)));
  }
  ~PythonAdmission() override {
    const nb::gil_scoped_acquire gil;
    for (nb::object* object : {&object_, &admits_, &admits_decode_}) object->reset();
    replicas_ = {};
    decoding_ = {};
    request_ = {};
  }

  std::optional<std::string> problem() const override {
    if (object_.is_valid()) return std::nullopt;
    return "no admission '" + name_ + "' was handed over; servecast.Scenario.run(admission=...) does so";
  }
  RequestNeeds needs() const override { return {.client = true, .priority = true, .deadline = true}; }
  bool reads_state() const override { return reads_state_; }

  bool admits(const Request& request, const ReplicaViews& replicas) override {
    const nb::gil_scoped_acquire gil;
    return ask(admits_, "admits()", request, replicas, replicas_);
  }
  bool admits_decode(const Request& request, const ReplicaViews& decoding) override {
    if (!admits_decode_.is_valid()) return true;
    const nb::gil_scoped_acquire gil;
    return ask(admits_decode_, "admits_decode()", request, decoding, decoding_);
  }

 private:
  bool ask(const nb::object& method, const char* name, const Request& request, const ReplicaViews& replicas,
           ShownReplicas& shown) {
    const std::string what = "admission '" + name_ + "': " + name;
    return calling(what, [&] {
      const nb::object answer = method(request_.show(request), shown.show(replicas));
      request_.done();
      shown.done();
      const int truth = nb::hasattr(answer, "__bool__") ? PyObject_IsTrue(answer.ptr()) : -1;
      if (PyErr_Occurred() != nullptr) nb::raise_python_error();
      if (truth >= 0 && !answer.is_none()) return truth == 1;
      throw UserError(what + " answered " + nb::repr(answer).c_str() + " to request " +
                      std::to_string(index(request.id)) + "; it must be True or False");
    });
  }

  std::string name_;
  nb::object object_{};
  nb::object admits_{};
  nb::object admits_decode_{};
  bool reads_state_ = true;
  ShownRequest request_{};
  ShownReplicas replicas_{};
  ShownReplicas decoding_{};
};

[[maybe_unused]] const bool added =
    Registry<Admission>::add<PythonAdmission>("python", "an object of this Python process");

}  // namespace
}  // namespace servecast::python
