#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tests/laws/laws.h"

namespace servecast::laws {
namespace {

bool several_outputs(const Json& source) {
  return source.value("samples", 1) > 1 || source.value("beam_width", 1) > 1;
}

bool mirrors(const Json& pool) {
  return pool.contains("scaling") && pool["scaling"].is_object() && pool["scaling"].contains("mirror");
}

/// As Vidur does: what was lost of a prompt is made token by token, as if it were output.
bool cuts_prompts(const Json& pool) { return pool.at("batcher").value("cut_prompts", false); }

/// Tokens by second and pool; the last second may be a part of one, of a length that summary.json has to nine digits
/// of the whole run. Tokens are whole.
double tokens_of(const CsvTable& series, const std::string& column, double duration_s) {
  double all = 0;
  for (std::size_t i = 0; i < series.rows.size(); ++i)
    all += std::round(*series.number(i, column) * std::min(1.0, duration_s - *series.number(i, "time_s")));
  return all;
}

double prompts_begun(const CsvTable& requests) {
  double all = 0;
  for (std::size_t i = 0; i < requests.rows.size(); ++i)
    if (requests.number(i, "first_token_s")) all += requests.number(i, "prompt_tokens").value_or(0);
  return all;
}

/// Prompt tokens that steps had to compute at least, of requests that got all they asked for.
double prompts_computed(const CsvTable& requests) {
  double all = 0;
  for (std::size_t i = 0; i < requests.rows.size(); ++i) {
    if (requests.text(i, "status") != "completed") continue;
    all += *requests.number(i, "prompt_tokens");
    if (requests.has("cached_tokens")) all -= requests.number(i, "cached_tokens").value_or(0);
  }
  return all;
}

}  // namespace

void check_tokens(const RunFiles& run, Findings& findings) {
  if (!run.tables.contains("requests") || !run.tables.contains("series")) return;
  const CsvTable& requests = run.tables.at("requests");
  const CsvTable& series = run.tables.at("series");
  const double duration_s = run.summary.at("duration_s");
  const Json& summary = run.summary;
  const char* law = "tokens are conserved";
  if (run.any_source(several_outputs)) return;  // requests.csv has the tokens of one of them
  const double output = requests.sum("output_tokens");
  findings.unless_equal(law, "output tokens of summary.json and requests.csv",
                        summary.at("output_tokens_per_s").get<double>() * duration_s, output);
  findings.unless_equal(law, "prompt tokens of summary.json and requests.csv",
                        summary.at("prompt_tokens_per_s").get<double>() * duration_s, prompts_begun(requests));
  // The LLM calls of a gateway are the series', its answers the requests'.
  if (run.has("gateway") || run.any_pool(cuts_prompts)) return;
  const double arrivals = series.sum("arrivals");
  findings.unless_equal("requests are conserved", "arrivals of series.csv and requests.csv", arrivals,
                        static_cast<double>(requests.rows.size()));
  const double made = tokens_of(series, "output_tokens_per_s", duration_s);
  const double computed = tokens_of(series, "prompt_tokens_per_s", duration_s);
  findings.unless_at_least(law, "output tokens of series.csv, and those of requests.csv", made, output);
  findings.unless_at_least(law, "prompt tokens of series.csv, and those of requests.csv", computed,
                           prompts_computed(requests));
  // A request that has left is given up between two steps, and one turned away behind the prompt has a first token by
  // then: these were in vain.
  const Json& ended = summary.at("requests");
  if (!run.has("failures") && !run.any_pool(mirrors) && ended.at("timed_out") == 0 && ended.at("shed") == 0)
    findings.unless_equal(law, "output tokens of series.csv and requests.csv, where nothing is made twice", made,
                          output);
}

}  // namespace servecast::laws
