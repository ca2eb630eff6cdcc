#include "python/extension/trace.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "python/extension/handed.h"
#include "python/extension/request_view.h"
#include "sim/input/files/numbers.h"
#include "sim/input/trace/read/trace_file.h"
#include "sim/input/trace/rows/names_to_ids.h"

namespace servecast::python {
namespace {

/// servecast.Request: a row of a trace.
struct Row {
  double arrival_s = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::string session{};
  std::string request_class{};
  std::string client{};
  std::int32_t priority = 0;
  std::int32_t block_tokens = 0;
  std::vector<BlockHash> prefix_blocks{};
};

/// Hash ids of different sources of a mix are kept apart by these bits.
constexpr int source_shift = 54;

class PythonTrace final : public Workload {
 public:
  PythonTrace(const nb::object& trace, const TraceOptions& options)
      : notes_(*options.notes), block_offset_(options.source << source_shift) {
    const std::string type = nb::type_name(trace.type()).c_str();
    what_ = "trace '" + type.substr(type.rfind('.') + 1) + "'";
    calling(what_ + ": iter()", [&] {
      iterator_ = nb::iter(trace);
      if (nb::hasattr(trace, "follow_up")) follow_up_ = nb::object(trace.attr("follow_up"));
      if (nb::hasattr(trace, "__len__")) size_ = static_cast<double>(nb::len(trace));
    });
  }
  ~PythonTrace() override {
    const nb::gil_scoped_acquire gil;
    iterator_.reset();
    follow_up_.reset();
    shown_ = {};
  }

  std::optional<Request> next() override {
    const nb::gil_scoped_acquire gil;
    return calling(what_, [&]() -> std::optional<Request> {
      const nb::object item = nb::steal(PyIter_Next(iterator_.ptr()));
      if (PyErr_Occurred() != nullptr) nb::raise_python_error();
      if (!item.is_valid()) return std::nullopt;
      const Request request = request_of(item, latest_s_, "before the one ahead of it");
      latest_s_ = request.arrival_s;
      return request;
    });
  }

  std::optional<Request> follow_up(const Request& done, double finish_s) override {
    const nb::gil_scoped_acquire gil;
    return calling(what_ + ": follow_up()", [&]() -> std::optional<Request> {
      const nb::object item = follow_up_(shown_.show(done), finish_s);
      shown_.done();
      if (item.is_none()) return std::nullopt;
      return request_of(item, finish_s, "before that which it follows has finished");
    });
  }

  double fraction_read() const override { return size_ > 0 ? std::min(1.0, static_cast<double>(given_) / size_) : 0; }

 private:
  /// `early`: what is wrong where it arrives before `earliest_s`.
  Request request_of(const nb::object& item, double earliest_s, const char* early) {
    Row row;
    if (nb::isinstance<Row>(item))
      row = nb::cast<const Row&>(item);
    else if (!plain_row(item, row))
      refuse(std::string("is ") + nb::repr(item).c_str() +
             "; it must be a servecast.Request or (arrival_s, prompt_tokens, output_tokens)");
    check(row);
    if (row.arrival_s < earliest_s)
      refuse(fmt::format("arrives at {} s, {} (at {} s)", row.arrival_s, early, earliest_s));
    return Request{.id = static_cast<RequestId>(given_++),
                   .arrival_s = row.arrival_s,
                   .prompt_tokens = row.prompt_tokens,
                   .output_tokens = row.output_tokens,
                   .request_class = notes_.classes.id(row.request_class),
                   .client = clients_.id(row.client),
                   .session = sessions_.id(row.session),
                   .awaited = follow_up_.is_valid(),
                   .block_tokens = row.block_tokens,
                   .prefix_blocks = keep(std::move(row.prefix_blocks)),
                   .priority = row.priority};
  }

  static bool plain_row(const nb::object& item, Row& row) {
    if (!nb::isinstance<nb::tuple>(item) || nb::len(item) != 3) return false;
    return nb::try_cast(item[0], row.arrival_s) && nb::try_cast(item[1], row.prompt_tokens) &&
           nb::try_cast(item[2], row.output_tokens);
  }

  void check(const Row& row) const {
    const auto outside = [&](const char* key, double value, double least, double most) {
      if (!(value >= least && value <= most))
        refuse("has " + std::string(key) + fmt::format(" {}; it must be from {} to {}", value, least, most));
    };
    const auto count = [&](const char* key, std::int64_t value, std::int64_t least, std::int64_t most) {
      if (value < least || value > most)
        refuse("has " + std::string(key) + " " + std::to_string(value) + "; it must be from " +
               std::to_string(least) + " to " + std::to_string(most));
    };
    outside("arrival_s", row.arrival_s, 0, max_time_s);
    count("prompt_tokens", row.prompt_tokens, 1, max_request_tokens);
    count("output_tokens", row.output_tokens, 1, max_request_tokens);
    count("priority", row.priority, 0, max_priority);
    count("block_tokens", row.block_tokens, row.prefix_blocks.empty() ? 0 : 1, max_request_tokens);
    if (row.request_class.find_first_of(",\"\\\r\n") != std::string::npos)
      refuse("has a request_class with a comma, quote, backslash or line break; a plain name has none");
  }

  /// The end of a request that arrived by itself is not reported here, so all blocks stay.
  std::span<const BlockHash> keep(std::vector<BlockHash> blocks) {
    if (blocks.empty()) return {};
    for (BlockHash& block : blocks) block += block_offset_;
    return blocks_.emplace_back(std::move(blocks));
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError(what_ + ": request " + std::to_string(given_) + " " + why);
  }

  WorkloadNotes& notes_;
  BlockHash block_offset_;
  std::string what_;
  nb::object iterator_{};
  nb::object follow_up_{};
  ShownRequest shown_{};
  NamesToIds<SessionId> sessions_{};
  NamesToIds<ClientId> clients_{};
  std::deque<std::vector<BlockHash>> blocks_{};
  double size_ = 0;
  double latest_s_ = 0;
  std::uint32_t given_ = 0;
};

}  // namespace

std::unique_ptr<Workload> open_python_trace(const nb::object& trace, const TraceOptions& options) {
  const nb::gil_scoped_acquire gil;
  return std::make_unique<PythonTrace>(trace, options);
}

void bind_trace(nb::module_& m) {
  nb::class_<Row>(m, "Request", "A request of a trace.")
      .def(
          "__init__",
          [](Row* self, double arrival_s, std::int64_t prompt_tokens, std::int64_t output_tokens, std::string session,
             std::string request_class, std::string client, std::int32_t priority, std::int32_t block_tokens,
             std::vector<BlockHash> prefix_blocks) {
            new (self) Row{
                arrival_s,         prompt_tokens, output_tokens, std::move(session),      std::move(request_class),
                std::move(client), priority,      block_tokens,  std::move(prefix_blocks)};
          },
          nb::arg("arrival_s"), nb::arg("prompt_tokens"), nb::arg("output_tokens"), nb::kw_only(),
          nb::arg("session") = "", nb::arg("request_class") = "", nb::arg("client") = "", nb::arg("priority") = 0,
          nb::arg("block_tokens") = 0, nb::arg("prefix_blocks") = std::vector<BlockHash>{})
      .def_rw("arrival_s", &Row::arrival_s)
      .def_rw("prompt_tokens", &Row::prompt_tokens)
      .def_rw("output_tokens", &Row::output_tokens)
      .def_rw("session", &Row::session)
      .def_rw("request_class", &Row::request_class)
      .def_rw("client", &Row::client)
      .def_rw("priority", &Row::priority)
      .def_rw("block_tokens", &Row::block_tokens)
      .def_rw("prefix_blocks", &Row::prefix_blocks)
      .def("__repr__", [](const Row& r) {
        return "Request(" + std::to_string(r.arrival_s) + ", " + std::to_string(r.prompt_tokens) + ", " +
               std::to_string(r.output_tokens) + ")";
      });
}

}  // namespace servecast::python
