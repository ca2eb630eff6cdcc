#include "sim/input/trace/cache/trace_convert.h"

#include <fmt/format.h>

#include <cmath>

#include "models/base/escaped.h"
#include "sim/input/files/text_writer.h"
#include "sim/input/trace/cache/drain.h"

namespace servecast {
namespace {

constexpr std::size_t flush_bytes = 1 << 16;

/// The columns that not every trace needs.
struct Columns {
  bool session = false;
  bool think_s = false;
  bool request_class = false;
  bool client = false;
  bool priority = false;
  bool blocks = false;

  void need_for(const Request& request, bool follows) {
    session = session || request.session != SessionId{};
    think_s = think_s || follows;
    request_class = request_class || request.request_class != ClassId{};
    client = client || request.client != ClientId{};
    priority = priority || request.priority != 0;
    blocks = blocks || request.block_tokens > 0;
  }
};

Columns needed_columns(const WorkloadSpec& spec, WorkloadContext context) {
  WorkloadNotes notes;  // of this reading only
  context.notes = &notes;
  Columns columns;
  drain(*make_workload(spec, context), [&](const Request& request, std::optional<double> think_s) {
    columns.need_for(request, think_s.has_value());
  });
  return columns;
}

/// "0-31 96": runs of ids.
void append_blocks(std::string& text, std::span<const BlockHash> blocks) {
  for (std::size_t from = 0; from < blocks.size();) {
    std::size_t to = from;
    while (to + 1 < blocks.size() && blocks[to + 1] == blocks[to] + 1) ++to;
    if (from > 0) text += ' ';
    fmt::format_to(std::back_inserter(text), "{}", blocks[from]);
    if (to > from) fmt::format_to(std::back_inserter(text), "-{}", blocks[to]);
    from = to + 1;
  }
}

/// A pause is the difference of two times; whole nanoseconds take their rounding off again.
double whole_ns(double seconds) { return std::round(seconds * 1e9) / 1e9; }

class RowWriter {
 public:
  RowWriter(const Columns& columns, const std::string& out) : columns_(columns), file_(out) {
    text_ = "request_id,arrival_s,prompt_tokens,output_tokens";
    if (columns.session) text_ += ",session";
    if (columns.think_s) text_ += ",think_s";
    if (columns.request_class) text_ += ",class";
    if (columns.client) text_ += ",client";
    if (columns.priority) text_ += ",priority";
    if (columns.blocks) text_ += ",block_tokens,prefix_blocks";
    text_ += '\n';
  }

  void row(const Request& request, std::optional<double> think_s, const std::string& class_name) {
    const auto out = std::back_inserter(text_);
    fmt::format_to(out, "{},", rows_++);
    if (!think_s) fmt::format_to(out, "{}", request.arrival_s);
    fmt::format_to(out, ",{},{}", request.prompt_tokens, request.output_tokens);
    if (columns_.session) text_ += ',';
    if (request.session != SessionId{}) fmt::format_to(out, "{}", index(request.session));
    if (columns_.think_s) text_ += ',';
    if (think_s) fmt::format_to(out, "{}", whole_ns(*think_s));
    if (columns_.request_class) text_ += ',' + csv_cell(class_name);
    if (columns_.client) text_ += ',';
    if (request.client != ClientId{}) fmt::format_to(out, "{}", index(request.client));
    if (columns_.priority) fmt::format_to(out, ",{}", request.priority);
    if (columns_.blocks) append_block_columns(request);
    text_ += '\n';
    if (text_.size() > flush_bytes) flush();
  }

  std::int64_t finish() {
    flush();
    file_.finish();
    return rows_;
  }

 private:
  void append_block_columns(const Request& request) {
    text_ += ',';
    if (request.block_tokens > 0) text_ += std::to_string(request.block_tokens);
    text_ += ',';
    append_blocks(text_, request.prefix_blocks);
  }
  void flush() {
    file_.write(text_);
    text_.clear();
  }

  Columns columns_;
  TextWriter file_;
  std::string text_;  // not yet written
  std::int64_t rows_ = 0;
};

}  // namespace

std::int64_t convert(const WorkloadSpec& spec, const WorkloadContext& context, const std::string& out) {
  RowWriter writer(needed_columns(spec, context), out);
  drain(*make_workload(spec, context), [&](const Request& request, std::optional<double> think_s) {
    writer.row(request, think_s, context.notes->classes.all()[index(request.request_class)]);
  });
  return writer.finish();
}

std::int64_t make_trace(const std::string& settings_file, const std::string& out) {
  YamlText text = YamlText::load(settings_file);
  MakeSpec spec;
  YamlFields fields(text);
  spec.fields(fields);
  fields.finish();
  text.throw_problems();
  WorkloadNotes notes;
  return convert(spec.workload,
                 {.seed = static_cast<std::uint64_t>(spec.seed),
                  .base_folder = std::filesystem::path(settings_file).parent_path(),
                  .text = &text,
                  .path = "",
                  .notes = &notes},
                 out);
}

}  // namespace servecast
