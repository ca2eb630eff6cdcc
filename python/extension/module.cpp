// servecast._core: what the Python module cannot do with the program alone.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <sys/prctl.h>

#include <csignal>
#include <ext/stdio_filebuf.h>
#include <optional>
#include <ostream>

#include "models/base/error.h"
#include "python/extension/csv_table.h"
#include "python/extension/handed.h"
#include "python/extension/replica_views.h"
#include "python/extension/request_view.h"
#include "python/extension/trace.h"
#include "servecast_version.h"
#include "sim/cli/cli.h"
#include "sim/cli/program/console.h"
#include "sim/input/trace/read/handed_trace.h"

namespace servecast::python {
namespace {

/// Writes to a file descriptor that stays open.
class DescriptorStream : public std::ostream {
 public:
  explicit DescriptorStream(int descriptor) : std::ostream(nullptr), buffer_(descriptor, std::ios::out) {
    rdbuf(&buffer_);
  }

 private:
  __gnu_cxx::stdio_filebuf<char> buffer_;
};

/// The program itself, in this process: the words after its name, where results and where everything else goes, and
/// what settings of policy "python" name. Once per process. Returns the exit status and what Python code raised, or
/// None.
nb::tuple run(const std::vector<std::string>& words, int out, int err, const nb::dict& routers,
              const nb::dict& admissions, const std::string& trace_name, const nb::object& trace) {
  int status = 0;
  {
    const HandedPolicies policies(routers, admissions);
    std::optional<HandedTrace> requests;
    if (!trace.is_none())
      requests.emplace(trace_name, [&](const TraceOptions& options) { return open_python_trace(trace, options); });
    const nb::gil_scoped_release free_to_be_asked;
    DescriptorStream results(out);
    DescriptorStream remarks(err);
    Console console{.out = results, .err = remarks};
    status = run_cli(words, console);
  }
  return nb::make_tuple(status, taken_exception());
}

}  // namespace
}  // namespace servecast::python

NB_MODULE(_core, m) {
  using namespace servecast;
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const UserError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
  m.attr("version") = version;
  m.def("run", &python::run, nanobind::arg("words"), nanobind::arg("out"), nanobind::arg("err"),
        nanobind::arg("routers"), nanobind::arg("admissions"), nanobind::arg("trace_name"),
        nanobind::arg("trace").none());
  m.def("end_with_parent", [] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
  python::bind_request(m);
  python::bind_replicas(m);
  python::bind_trace(m);
  python::bind_csv(m);
}
