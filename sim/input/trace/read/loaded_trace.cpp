#include "sim/input/trace/read/loaded_trace.h"

#include <algorithm>
#include <cassert>

namespace servecast {

LoadedTrace::LoadedTrace(TraceRows& rows, TraceOptions options) : options_(std::move(options)) {
  load(rows);
  std::erase_if(chains_, [](const Chain& c) { return c.rows.empty(); });  // of failed requests only
  std::ranges::stable_sort(chains_, {}, &Chain::start_s);
  session_chain_.clear();
}

void LoadedTrace::load(TraceRows& rows) {
  for (TraceRow row; rows.next(row);) {
    if (row.arrival_s) {
      session_chain_[row.session] = static_cast<std::uint32_t>(chains_.size());
      chains_.push_back({.start_s = start_s(row)});
    } else if (!session_chain_.contains(row.session)) {
      rows.fail(
          "this request waits for the one before it in its session, but there is none; the first row of a "
          "session needs an arrival time");
    }
    if (!rows.is_failed(row)) add(rows, row);
  }
}

/// Behind the row that its session had last.
void LoadedTrace::add(TraceRows& rows, const TraceRow& row) {
  const std::size_t first_run = runs_.size();
  runs_.insert(runs_.end(), row.blocks.begin(), row.blocks.end());
  chains_[session_chain_.at(row.session)].rows.push_back(static_cast<std::uint32_t>(rows_.size()));
  rows_.push_back({.time_s = row.think_s,
                   .prompt_tokens = row.prompt_tokens,
                   .output_tokens = row.output_tokens,
                   .session = row.session,
                   .request_class = rows.class_of(row),
                   .client = row.client,
                   .priority = row.priority,
                   .block_tokens = row.block_tokens,
                   .first_run = first_run,
                   .last_run = runs_.size()});
}

double LoadedTrace::start_s(const TraceRow& row) {
  if (row.start_group == 0) return *row.arrival_s;
  while (group_starts_.size() < row.start_group) {
    const double before_s = group_starts_.empty() ? 0 : group_starts_.back();
    const double gap_s =
        options_.sessions_per_s ? options_.session_starts.exponential(1 / *options_.sessions_per_s) : 0;
    group_starts_.push_back(before_s + gap_s);
  }
  return group_starts_[row.start_group - 1] + *row.arrival_s;
}

std::optional<Request> LoadedTrace::next() {
  if (next_chain_ == chains_.size()) return std::nullopt;
  const auto chain = static_cast<std::uint32_t>(next_chain_++);
  return give(chain, chains_[chain].start_s);
}

std::optional<Request> LoadedTrace::follow_up(const Request& done, double finish_s) {
  const auto found = awaited_chain_.find(done.id);
  assert(found != awaited_chain_.end());
  const std::uint32_t index = found->second;
  awaited_chain_.erase(found);
  const Chain& chain = chains_[index];
  return give(index, finish_s + rows_[chain.rows[chain.given]].time_s);
}

/// The chain's next row as a request.
Request LoadedTrace::give(std::uint32_t index, double arrival_s) {
  Chain& chain = chains_[index];
  const Row& row = rows_[chain.rows[chain.given++]];
  const auto id = static_cast<RequestId>(given_++);
  const bool awaited = chain.given < chain.rows.size();
  if (chain.given == 1)
    read_blocks(row, chain.blocks);
  else
    std::swap(chain.blocks, chain.next_blocks);
  chain.next_blocks.clear();
  if (awaited) {
    awaited_chain_[id] = index;
    read_blocks(rows_[chain.rows[chain.given]], chain.next_blocks);
  }
  return {.id = id,
          .arrival_s = arrival_s,
          .prompt_tokens = row.prompt_tokens,
          .output_tokens = row.output_tokens,
          .request_class = row.request_class,
          .client = row.client,
          .session = row.session,
          .awaited = awaited,
          .block_tokens = row.block_tokens,
          .prefix_blocks = chain.blocks,
          .said_blocks = said(chain, row),
          .priority = row.priority};
}

void LoadedTrace::read_blocks(const Row& row, std::vector<BlockHash>& blocks) const {
  blocks.clear();
  for (std::size_t i = row.first_run; i < row.last_run; ++i)
    for (BlockHash id = runs_[i].first; id <= runs_[i].last; ++id) blocks.push_back(id + (options_.source << 54));
}

/// Where the next prompt of the session begins with this one, the output is taken to stand behind it there: what a
/// client leaves out of an answer when it sends it back (reasoning), or puts in front of it, no trace tells.
std::span<const BlockHash> LoadedTrace::said(const Chain& chain, const Row& row) {
  if (row.block_tokens == 0) return {};
  const auto whole = std::min(chain.blocks.size(), static_cast<std::size_t>(row.prompt_tokens / row.block_tokens));
  if (chain.next_blocks.size() < whole ||
      !std::equal(chain.blocks.begin(), chain.blocks.begin() + static_cast<std::ptrdiff_t>(whole),
                  chain.next_blocks.begin()))
    return {};
  const auto said = static_cast<std::size_t>((row.prompt_tokens + row.output_tokens) / row.block_tokens);
  return std::span(chain.next_blocks).first(std::min(chain.next_blocks.size(), said));
}

double LoadedTrace::fraction_read() const {
  return rows_.empty() ? 1 : static_cast<double>(given_) / static_cast<double>(rows_.size());
}

}  // namespace servecast
