#include <fmt/core.h>

#include "tests/laws/laws.h"

namespace servecast::laws {
namespace {

void check_counts(const Json& requests, const std::string& whose, Findings& findings) {
  std::int64_t ended = 0;
  for (const auto& [state, count] : requests.items())
    if (state != "arrived" && count.is_number_integer()) ended += count.get<std::int64_t>();
  if (ended != requests.at("arrived").get<std::int64_t>())
    findings.add("requests are conserved", whose + ": " + requests.dump());
}

/// Every row of requests.csv is counted, in the state that it names.
void check_rows(const RunFiles& run, const CsvTable& table, Findings& findings) {
  const Json& requests = run.summary.at("requests");
  std::map<std::string, std::int64_t> by_state;
  for (std::size_t i = 0; i < table.rows.size(); ++i) ++by_state[table.text(i, "status")];
  by_state["arrived"] = static_cast<std::int64_t>(table.rows.size());
  for (const auto& [state, count] : requests.items())
    if (count != by_state[state])
      findings.add("requests are conserved",
                   fmt::format("{} of {} in requests.csv, {} in summary.json", by_state[state], state, count.dump()));
}

void check_classes(const RunFiles& run, Findings& findings) {
  if (!run.summary.contains("classes") || run.summary["classes"].empty()) return;
  std::map<std::string, std::int64_t> sums;
  for (const Json& one : run.summary["classes"]) {
    check_counts(one.at("requests"), "class " + one.at("name").dump(), findings);
    for (const auto& [state, count] : one.at("requests").items()) sums[state] += count.get<std::int64_t>();
  }
  for (const auto& [state, count] : run.summary.at("requests").items())
    if (sums[state] != count)
      findings.add("requests are conserved",
                   fmt::format("classes have {} of {}, all {}", sums[state], state, count.dump()));
}

/// Arrival, first step, first token, last token. An API may have drafted before a pool's first step.
void check_times(const RunFiles& run, const CsvTable& table, Findings& findings) {
  std::vector<std::string> times{"arrival_s", "scheduled_s", "first_token_s", "finish_s"};
  if (run.has("gateway")) std::erase(times, "scheduled_s");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    double before = 0;
    for (const std::string& time : times) {
      const double at = table.number(i, time).value_or(before);
      if (at < before)
        findings.add("times follow each other",
                     fmt::format("request {}: {} {} after {}", table.text(i, "request_id"), time, at, before));
      before = at;
    }
    const double end = run.summary.at("duration_s");
    if (before > end * (1 + 1e-8))
      findings.add("times follow each other", fmt::format("request {} at {}, after the end of the run at {}",
                                                          table.text(i, "request_id"), before, end));
  }
}

/// A completed request has all its times and a token, one that was turned away has none.
void check_states(const CsvTable& table, Findings& findings) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string& status = table.text(i, "status");
    const double tokens = table.number(i, "output_tokens").value_or(0);
    const bool ended = table.number(i, "finish_s").has_value();
    const bool first = table.number(i, "first_token_s").has_value();
    const auto wrong = [&](const char* what) {
      findings.add("states", fmt::format("request {} is {} {}", table.text(i, "request_id"), status, what));
    };
    if (status == "completed" && (!ended || !first || tokens < 1)) wrong("without all its times and a token");
    if ((status == "rejected" || status == "shed") && (first || tokens > 0)) wrong("and has tokens");
  }
}

}  // namespace

void check_requests(const RunFiles& run, Findings& findings) {
  const Json& requests = run.summary.at("requests");
  check_counts(requests, "all", findings);
  const bool says_so = run.summary.at("rests_on").dump().find("the run ends at") != std::string::npos;
  const bool cut = run.settings.contains("until_s") || says_so;
  if (!cut && requests.at("unfinished") != 0) findings.add("nothing is unfinished", requests.dump());
  check_classes(run, findings);
  if (!run.tables.contains("requests")) return;
  const CsvTable& table = run.tables.at("requests");
  check_rows(run, table, findings);
  check_times(run, table, findings);
  check_states(table, findings);
}

}  // namespace servecast::laws
