#include "python/extension/request_view.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

namespace servecast::python {
namespace {

template <auto member>
auto read = [](const RequestView& v) { return static_cast<std::int64_t>(v.request().*member); };

template <auto member>
auto time = [](const RequestView& v) -> std::optional<double> {
  const double at_s = v.request().*member;
  return at_s == Request::forever ? std::nullopt : std::optional(at_s);
};

nb::tuple blocks_of(const RequestView& v) {
  nb::list blocks;
  for (const BlockHash block : v.request().prefix_blocks) blocks.append(block);
  return nb::tuple(blocks);
}

}  // namespace

void RequestView::keep() {
  own_ = *now_;
  blocks_.assign(own_.prefix_blocks.begin(), own_.prefix_blocks.end());
  own_.prefix_blocks = blocks_;
  own_.said_blocks = {};
  now_ = &own_;
}

ShownRequest::ShownRequest() = default;

nb::handle ShownRequest::show(const Request& request) {
  if (!object_.is_valid()) {
    object_ = nb::cast(RequestView());
    view_ = nb::cast<RequestView*>(object_);
  }
  view_->look_at(request);
  return object_;
}

void ShownRequest::done() {
  if (Py_REFCNT(object_.ptr()) == 1) return;
  view_->keep();
  object_.reset();
}

void bind_request(nb::module_& m) {
  nb::class_<RequestView>(m, "RequestView", "What a client asks for, as a policy sees it.")
      .def_prop_ro("id", read<&Request::id>, "0, 1, 2, ... in the order in which the workload gave them")
      .def_prop_ro("arrival_s", time<&Request::arrival_s>, "when it arrived")
      .def_prop_ro("prompt_tokens", read<&Request::prompt_tokens>, "length of the prompt")
      .def_prop_ro("output_tokens", read<&Request::output_tokens>,
                   "length of the answer; a real router cannot know it")
      .def_prop_ro("request_class", read<&Request::request_class>, "number of its class; 0: none")
      .def_prop_ro("client", read<&Request::client>, "number of its client; 0: none")
      .def_prop_ro("session", read<&Request::session>, "number of its session; 0: none")
      .def_prop_ro("adapter", read<&Request::adapter>, "number of its LoRA adapter; 0: none")
      .def_prop_ro("priority", read<&Request::priority>, "smaller goes first where the queue looks at it")
      .def_prop_ro("samples", read<&Request::samples>, "outputs made side by side")
      .def_prop_ro("deadline_s", time<&Request::deadline_s>, "when its first token is wanted; None: no deadline")
      .def_prop_ro("give_up_s", time<&Request::give_up_s>, "when its client stops waiting; None: never")
      .def_prop_ro("block_tokens", read<&Request::block_tokens>, "tokens of a hash block; 0: no blocks are known")
      .def_prop_ro("prefix_blocks", blocks_of, "hash blocks of the prompt; equal leading ones mean equal prompts")
      .def("__repr__", [](const RequestView& v) {
        const Request& r = v.request();
        return "RequestView(id=" + std::to_string(index(r.id)) + ", arrival_s=" + std::to_string(r.arrival_s) +
               ", prompt_tokens=" + std::to_string(r.prompt_tokens) +
               ", output_tokens=" + std::to_string(r.output_tokens) + ")";
      });
}

}  // namespace servecast::python
