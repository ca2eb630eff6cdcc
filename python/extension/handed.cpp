#include "python/extension/handed.h"

#include <cassert>

#include "models/base/error.h"

namespace servecast::python {
namespace {

// The registry makes policies from settings; what Python handed over reaches them no other way.
const HandedPolicies* handed = nullptr;
PyObject* raised = nullptr;  // owned; a static nb::object would outlive the interpreter

/// Its str(); empty where that fails.
std::string text_of(nb::handle object) {
  const nb::object text = nb::steal(PyObject_Str(object.ptr()));
  const char* utf8 = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  if (utf8 != nullptr) return utf8;
  PyErr_Clear();
  return "";
}

nb::object found(const nb::dict& objects, const std::string& name) {
  const nb::str key(name.c_str());
  return objects.contains(key) ? nb::object(objects[key]) : nb::object();
}

/// "file.py:12", where the exception was raised.
std::string place_of(const nb::python_error& error) {
  nb::object traceback = nb::borrow(error.traceback());
  if (!traceback.is_valid() || traceback.is_none()) return "";
  for (nb::object next = traceback.attr("tb_next"); !next.is_none(); next = traceback.attr("tb_next"))
    traceback = next;
  const nb::object file = traceback.attr("tb_frame").attr("f_code").attr("co_filename");
  const nb::object line = traceback.attr("tb_lineno");
  return text_of(file) + ":" + text_of(line);
}

}  // namespace

HandedPolicies::HandedPolicies(nb::dict routers, nb::dict admissions)
    : routers_(std::move(routers)), admissions_(std::move(admissions)) {
  assert(handed == nullptr);
  handed = this;
}

HandedPolicies::~HandedPolicies() { handed = nullptr; }

nb::object HandedPolicies::router(const std::string& name) {
  return handed != nullptr ? found(handed->routers_, name) : nb::object();
}

nb::object HandedPolicies::admission(const std::string& name) {
  return handed != nullptr ? found(handed->admissions_, name) : nb::object();
}

nb::object taken_exception() { return raised != nullptr ? nb::borrow(raised) : nb::none(); }

void blame(const std::string& what, nb::python_error& error) {
  const std::string type = nb::type_name(error.type()).c_str();
  const std::string text = text_of(error.value());
  const std::string place = place_of(error);
  Py_XDECREF(raised);
  raised = nb::object(nb::borrow(error.value())).release().ptr();
  throw UserError(what + " raised " + type + (text.empty() ? "" : ": " + text) +
                  (place.empty() ? "" : " (" + place + ")"));
}

}  // namespace servecast::python
