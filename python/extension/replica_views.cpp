#include "python/extension/replica_views.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "python/extension/request_view.h"

namespace servecast::python {
namespace {

using Bytes = nb::ndarray<nb::memview, const std::uint8_t, nb::ndim<1>, nb::c_contig>;

struct RowField {
  const char* name;
  const char* format;  // NumPy's
  std::size_t offset;
  std::int64_t (*read)(const ReplicaView&);
  const char* help;
};

template <auto member>
RowField row_field(const char* name, const char* format, const char* help) {
  const ReplicaView view;
  const auto offset = reinterpret_cast<const char*>(&(view.*member)) - reinterpret_cast<const char*>(&view);
  return {name, format, static_cast<std::size_t>(offset),
          [](const ReplicaView& v) { return static_cast<std::int64_t>(v.*member); }, help};
}

const std::vector<RowField>& row_fields() {
  using V = ReplicaView;
  static const std::vector<RowField> fields{
      row_field<&V::id>("id", "u4",
                        "number of the replica, through all pools of the run: what a router answers with"),
      row_field<&V::waiting_requests>("waiting_requests", "i8", "requests in its queue"),
      row_field<&V::waiting_tokens>("waiting_tokens", "i8",
                                    "prompt tokens not yet computed, of all requests that it has"),
      row_field<&V::running_requests>("running_requests", "i8", "admitted: prefilling or decoding"),
      row_field<&V::used_blocks>("used_blocks", "i8", "KV blocks held"),
      row_field<&V::total_blocks>("total_blocks", "i8", "KV blocks that there are"),
  };
  return fields;
}

/// What numpy.dtype() takes.
nb::dict row_format() {
  nb::list names, formats, offsets;
  for (const RowField& field : row_fields()) {
    names.append(field.name);
    formats.append(field.format);
    offsets.append(field.offset);
  }
  nb::dict format;
  format["names"] = names;
  format["formats"] = formats;
  format["offsets"] = offsets;
  format["itemsize"] = sizeof(ReplicaView);
  return format;
}

std::string text_of(const ReplicaRow& row) {
  std::string text;
  for (const RowField& field : row_fields())
    text += (text.empty() ? "ReplicaView(" : ", ") + std::string(field.name) + "=" +
            std::to_string(field.read(row.view()));
  return text + ")";
}

std::size_t checked_place(const Replicas& replicas, std::int64_t place) {
  const auto size = static_cast<std::int64_t>(replicas.size());
  if (place < 0) place += size;
  if (place < 0 || place >= size) throw nb::index_error("there is no replica at this position of the views");
  return static_cast<std::size_t>(place);
}

void bind_row(nb::module_& m) {
  nb::class_<ReplicaRow> row(m, "ReplicaView", "A replica as a policy sees it.");
  for (const RowField& field : row_fields())
    row.def_prop_ro(
        field.name, [read = field.read](const ReplicaRow& r) { return read(r.view()); }, field.help);
  row.def("__repr__", text_of);
}

}  // namespace

void Replicas::show(const ReplicaViews& replicas) {
  const bool same = replicas.size() == rows_->size() && replicas.membership_version() == membership_version_;
  now_ = &replicas;
  membership_version_ = replicas.membership_version();
  if (!same) rows_ = std::make_shared<std::vector<ReplicaView>>(replicas.size());
  std::copy(replicas.begin(), replicas.end(), rows_->begin());
  if (!same) make_items();
}

void Replicas::make_items() {
  items_ = nb::list();
  array_.reset();
  for (std::size_t place = 0; place < rows_->size(); ++place) items_.append(ReplicaRow{rows_, place});
}

void Replicas::done() {
  now_ = nullptr;
  if (decoding_.is_valid()) nb::cast<Replicas&>(decoding_).done();
}

nb::object Replicas::array() {
  if (array_.is_valid()) return array_;
  nb::object numpy;
  try {
    numpy = nb::module_::import_("numpy");
  } catch (nb::python_error&) {
    throw nb::import_error("views.array needs NumPy; pip install numpy, or read the views one by one");
  }
  auto* owner = new std::shared_ptr<std::vector<ReplicaView>>(rows_);
  const nb::capsule keep(owner,
                         [](void* p) noexcept { delete static_cast<std::shared_ptr<std::vector<ReplicaView>>*>(p); });
  const Bytes bytes(rows_->data(), {rows_->size() * sizeof(ReplicaView)}, keep);
  array_ = numpy.attr("frombuffer")(bytes, numpy.attr("dtype")(row_format()));
  return array_;
}

const PoolProbe& Replicas::probe() const {
  if (now_ == nullptr) throw nb::value_error("the pool answers while a policy is asked, not later");
  return now_->probe();
}

nb::object Replicas::decoding(nb::handle self) {
  if (now_ == nullptr) throw nb::value_error("the pool answers while a policy is asked, not later");
  if (&now_->decoding() == now_) return nb::borrow(self);
  if (!decoding_.is_valid()) decoding_ = nb::cast(Replicas());
  auto& decoding = nb::cast<Replicas&>(decoding_);
  decoding.show(now_->decoding());
  return decoding_;
}

bool Replicas::shows(ReplicaId id) const {
  const auto found = std::ranges::lower_bound(*rows_, id, {}, &ReplicaView::id);
  return found != rows_->end() && found->id == id;
}

nb::handle ShownReplicas::show(const ReplicaViews& replicas) {
  if (!object_.is_valid()) {
    object_ = nb::cast(Replicas());
    replicas_ = nb::cast<Replicas*>(object_);
  }
  replicas_->show(replicas);
  return object_;
}

void ShownReplicas::done() { replicas_->done(); }

void bind_replicas(nb::module_& m) {
  bind_row(m);
  nb::class_<Replicas>(m, "ReplicaViews", "The replicas of a pool that serve, sorted by id; never empty.")
      .def("__len__", &Replicas::size)
      .def("__iter__", [](const Replicas& r) { return nb::iter(r.items()); })
      .def("__getitem__",
           [](const Replicas& r, std::int64_t i) { return nb::object(r.items()[checked_place(r, i)]); })
      .def_prop_ro("array", &Replicas::array,
                   "all numbers as a NumPy array with named fields, e.g. array['waiting_tokens']")
      .def_prop_ro(
          "decoding", [](nb::handle self) { return nb::cast<Replicas&>(self).decoding(self); },
          "those that decode what these have prefilled; these themselves, unless another pool does")
      .def(
          "cached_tokens",
          [](const Replicas& r, const RequestView& request, std::int64_t place) {
            return r.probe().cached_tokens(request.request(), checked_place(r, place));
          },
          nb::arg("request"), nb::arg("position"), "leading prompt tokens that the cache of the replica there holds")
      .def(
          "holds_adapter",
          [](const Replicas& r, const RequestView& request, std::int64_t place) {
            return r.probe().holds_adapter(request.request().adapter, checked_place(r, place));
          },
          nb::arg("request"), nb::arg("position"),
          "whether the replica there has the request's LoRA adapter on its GPUs")
      .def(
          "prefill_s",
          [](const Replicas& r, std::int64_t prompt_tokens, std::int64_t cached_tokens) {
            return r.probe().prefill_s(prompt_tokens, cached_tokens);
          },
          nb::arg("prompt_tokens"), nb::arg("cached_tokens") = 0, "time to compute a prompt on an idle replica")
      .def(
          "decode_step_s",
          [](const Replicas& r, std::int64_t sequences, std::int64_t kv_tokens) {
            return r.probe().decode_step_s(sequences, kv_tokens);
          },
          nb::arg("sequences"), nb::arg("kv_tokens"),
          "time of a step in which so many decode that hold so many tokens")
      .def("__repr__", [](const Replicas& r) { return "<" + std::to_string(r.size()) + " replicas>"; });
}

}  // namespace servecast::python
