#include <fmt/core.h>

#include <sstream>

#include "tests/laws/laws.h"

namespace servecast::laws {
namespace {

/// Of flows that have ended, by link.
std::map<std::string, double> flown(const CsvTable& flows) {
  std::map<std::string, double> bytes;
  for (std::size_t i = 0; i < flows.rows.size(); ++i) {
    std::istringstream links(flows.text(i, "links"));
    // A name may hold spaces nowhere but between links.
    for (std::string link; links >> link;) bytes[link] += *flows.number(i, "bytes");
  }
  return bytes;
}

std::map<std::string, double> carried(const CsvTable& links) {
  std::map<std::string, double> bytes;
  for (std::size_t i = 0; i < links.rows.size(); ++i) bytes[links.text(i, "link")] += *links.number(i, "bytes");
  return bytes;
}

double of_kind(const CsvTable& flows, const std::string& kind) {
  double bytes = 0;
  for (std::size_t i = 0; i < flows.rows.size(); ++i)
    if (flows.text(i, "kind") == kind) bytes += *flows.number(i, "bytes");
  return bytes;
}

double of_summary(const Json& summary, const char* list, const char* key) {
  double all = 0;
  if (summary.contains(list))
    for (const Json& one : summary[list]) all += one.value(key, 0.0);
  return all;
}

}  // namespace

void check_bytes(const RunFiles& run, Findings& findings) {
  if (!run.tables.contains("flows") || !run.tables.contains("links")) return;
  const CsvTable& flows = run.tables.at("flows");
  const char* law = "bytes are conserved";
  for (std::size_t i = 0; i < flows.rows.size(); ++i)
    if (*flows.number(i, "end_s") < *flows.number(i, "start_s"))
      findings.add("times follow each other", "flow " + flows.text(i, "flow") + " ends before it starts");
  // Links carry what has ended, and some of what was under way at the end.
  const auto by_link = carried(run.tables.at("links"));
  for (const auto& [link, bytes] : flown(flows)) {
    const auto found = by_link.find(link);
    findings.unless_at_least(law, "bytes of links.csv and flows.csv on " + link,
                             found == by_link.end() ? 0 : found->second, bytes * (1 - 1e-6));
  }
  if (run.has("failures") || run.settings.contains("until_s")) return;  // transfers may be broken off
  // A transfer whose client has left counts where it has been made, so flows have at least what the summary tells.
  findings.unless_at_least(law, "bytes of flows of migrations, and of summary.json", of_kind(flows, "kv_migration"),
                           of_summary(run.summary, "migrations", "bytes"));
  findings.unless_at_least(law, "bytes of flows of hand-overs, and of summary.json", of_kind(flows, "kv_hand_over"),
                           of_summary(run.summary, "hand_overs", "bytes"));
}

}  // namespace servecast::laws
