#include "gui/data/report/detail.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "models/base/error.h"
#include "sim/report/fields/json_fields.h"

namespace servecast::gui {

std::pair<std::size_t, std::size_t> ReplicaSamples::rows_at(double time) const {
  if (time_s.empty()) return {0, 0};
  auto after = std::ranges::upper_bound(time_s, time);
  if (after == time_s.begin()) ++after;  // before the first sample: the first one
  const auto first = std::ranges::lower_bound(time_s, *(after - 1));
  return {static_cast<std::size_t>(first - time_s.begin()),
          static_cast<std::size_t>(std::ranges::upper_bound(time_s, *first) - time_s.begin())};
}

std::vector<std::size_t> ReplicaSamples::rows_of(double which) const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < size(); ++i)
    if (replica[i] == which) rows.push_back(i);
  return rows;
}

ReplicaSamples read_replicas(const std::string& file) {
  ReplicaSamples samples;
  CsvColumns csv("replicas.csv");
  csv.number("time_s", samples.time_s);
  csv.number("replica", samples.replica);
  csv.number("running", samples.running);
  csv.number("waiting", samples.waiting);
  csv.number("kv_used_fraction", samples.kv_used_fraction);
  csv.number("busy_fraction", samples.busy_fraction);
  csv.words("state", samples.state, CsvColumns::Need::optional);
  csv.read(MappedFile(file));
  return samples;
}

std::vector<double> LinkSamples::used_at(double time) const {
  std::vector<double> used(link.names.size(), 0);
  const double second = std::floor(time);
  const auto by = [this](std::uint32_t row) { return time_s[row]; };
  const auto last = std::ranges::upper_bound(by_time, second, {}, by);
  for (auto row = std::ranges::lower_bound(by_time, second, {}, by); row != last; ++row)
    used[link.code[*row]] = used_fraction[*row];
  return used;
}

LinkSamples read_links(const std::string& file) {
  LinkSamples samples;
  CsvColumns csv("links.csv");
  csv.words("link", samples.link);
  csv.number("time_s", samples.time_s);
  csv.number("bytes", samples.bytes);
  csv.number("used_fraction", samples.used_fraction);
  csv.read(MappedFile(file));
  samples.by_time.resize(samples.time_s.size());
  std::iota(samples.by_time.begin(), samples.by_time.end(), 0u);
  std::ranges::stable_sort(samples.by_time, {}, [&](std::uint32_t row) { return samples.time_s[row]; });
  return samples;
}

bool Flows::crosses(std::size_t row, std::string_view link) const {
  std::string_view rest = file.text().substr(links_at[row]);
  rest = rest.substr(0, rest.find(','));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == link) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

Flows read_flows(const std::string& file) {
  Flows flows{.file = MappedFile(file)};
  CsvColumns csv("flows.csv");
  csv.number("flow", flows.flow);
  csv.words("kind", flows.kind);
  csv.words("from", flows.from);
  csv.words("to", flows.to);
  csv.place("links", flows.links_at);
  csv.number("bytes", flows.bytes);
  csv.number("start_s", flows.start_s);
  csv.number("end_s", flows.end_s);
  csv.read(flows.file);
  return flows;
}

Steps read_steps(const std::string& file) {
  Steps steps{.file = MappedFile(file)};
  CsvColumns csv("steps.csv");
  csv.number("replica", steps.replica);
  csv.words("pool", steps.pool);
  csv.number("start_s", steps.start_s);
  csv.number("end_s", steps.end_s);
  csv.number("decode_sequences", steps.decode_sequences);
  csv.number("prefill_sequences", steps.prefill_sequences);
  csv.number("prefill_tokens", steps.prefill_tokens);
  csv.number("used_blocks", steps.used_blocks);
  csv.place("members", steps.members_at);
  csv.read(steps.file);
  return steps;
}

std::vector<StepShare> members_of(const Steps& steps, std::size_t row) {
  const std::string_view rest = steps.file.text().substr(steps.members_at[row]);
  const char* at = rest.data();
  const char* const end = at + rest.find('\n');  // the reader saw to it that every row ends
  std::vector<StepShare> shares;
  while (at < end) {
    StepShare share;
    at = std::from_chars(at, end, share.request).ptr;
    if (at == end || *at != ':')
      throw UserError({steps.file.name(), static_cast<int>(row) + 2}, "'members' cannot be read");
    at = std::from_chars(at + 1, end, share.tokens).ptr;
    shares.push_back(share);
    if (at < end) ++at;  // the space
  }
  return shares;
}

Platform read_platform(const std::string& file) {
  const nlohmann::ordered_json json = load_json(file);
  Platform platform;
  JsonReader reader(json, file);
  platform.fields(reader);
  reader.throw_problems();
  return platform;
}

}  // namespace servecast::gui
