#pragma once
#include <nanobind/nanobind.h>

#include <string>

namespace servecast::python {

namespace nb = nanobind;

/// The objects that a run was given, by the names under which its settings mention them. Policies are made by the
/// registry, from settings alone, so they find their objects here; a process carries out one run.
class HandedPolicies {
 public:
  HandedPolicies(nb::dict routers, nb::dict admissions);
  ~HandedPolicies();
  HandedPolicies(const HandedPolicies&) = delete;
  HandedPolicies& operator=(const HandedPolicies&) = delete;

  /// Empty where no object has this name.
  static nb::object router(const std::string& name);
  static nb::object admission(const std::string& name);

 private:
  nb::dict routers_;
  nb::dict admissions_;
};

/// Calls `body`, which calls into Python code of `what` ("router 'Mine': pick()"). What that raises becomes a
/// UserError that names it, its line and `what`; the exception itself is kept for taken_exception().
template <class Body>
auto calling(const std::string& what, Body body);

/// What Python code raised in this run, or None.
nb::object taken_exception();

[[noreturn]] void blame(const std::string& what, nb::python_error& error);

template <class Body>
auto calling(const std::string& what, Body body) {
  try {
    return body();
  } catch (nb::python_error& error) {
    blame(what, error);
  }
}

}  // namespace servecast::python
