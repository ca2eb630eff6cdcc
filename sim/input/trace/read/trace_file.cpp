#include "sim/input/trace/read/trace_file.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "models/base/error.h"
#include "sim/input/trace/read/loaded_trace.h"
#include "sim/input/trace/read/trace_rows.h"

namespace servecast {
namespace {

/// Keeps the blocks of all requests given: the end of a request that arrived by itself is not reported here.
class BlockStore {
 public:
  std::span<const BlockHash> keep(const std::vector<BlockRange>& runs, BlockHash offset) {
    std::size_t count = 0;
    for (const BlockRange& run : runs) count += run.last - run.first + 1;
    if (pages_.empty() || pages_.back().capacity() - pages_.back().size() < count) {
      pages_.emplace_back();
      pages_.back().reserve(std::max(page_blocks, count));  // never grown, so that spans stay valid
    }
    std::vector<BlockHash>& page = pages_.back();
    const std::size_t begin = page.size();
    for (const BlockRange& run : runs)
      for (BlockHash id = run.first; id <= run.last; ++id) page.push_back(id + offset);
    return {page.data() + begin, count};
  }

 private:
  static constexpr std::size_t page_blocks = 1 << 16;
  std::vector<std::vector<BlockHash>> pages_;
};

/// A trace whose rows all arrive by themselves, in order: read line by line.
class StreamedTrace final : public Workload {
 public:
  StreamedTrace(std::unique_ptr<TraceRows> rows, const TraceOptions& options)
      : rows_(std::move(rows)), block_offset_(options.source << 54) {}

  std::optional<Request> next() override {
    if (!rows_->next_good(row_)) return std::nullopt;
    if (!row_.arrival_s) rows_->fail("this request has no arrival time");
    return Request{.id = static_cast<RequestId>(given_++),
                   .arrival_s = *row_.arrival_s,
                   .prompt_tokens = row_.prompt_tokens,
                   .output_tokens = row_.output_tokens,
                   .request_class = rows_->class_of(row_),
                   .client = row_.client,
                   .session = row_.session,
                   .block_tokens = row_.block_tokens,
                   .prefix_blocks = blocks_.keep(row_.blocks, block_offset_),
                   .priority = row_.priority};
  }
  std::optional<Request> follow_up(const Request&, double) override { return std::nullopt; }
  double fraction_read() const override { return rows_->fraction_read(); }

 private:
  std::unique_ptr<TraceRows> rows_;
  BlockHash block_offset_;
  TraceRow row_;
  BlockStore blocks_;
  std::uint32_t given_ = 0;
};

}  // namespace

std::unique_ptr<Workload> open_trace(const std::string& file, TraceOptions options) {
  assert(options.notes != nullptr);
  auto rows = std::make_unique<TraceRows>(file, options.format, *options.notes);
  if (options.sessions_per_s && rows->tells_starts())
    throw UserError(
        std::vector<Problem>{{Place{}, options.sessions_per_s_path,
                              "'sessions_per_s' is for traces that do not tell when sessions start, but " + file +
                                  " does; leave it out, or use 'rate_scale'"}});
  if (rows->order() == RowOrder::by_arrival) return std::make_unique<StreamedTrace>(std::move(rows), options);
  return std::make_unique<LoadedTrace>(*rows, std::move(options));
}

}  // namespace servecast
