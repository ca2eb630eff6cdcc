#include "sim/plan/report/plan_report.h"
#include "sim/report/fields/json_fields.h"

namespace servecast {

void PromiseFigures::fields(Fields& f) {
  f.field("promise", promise, "in words");
  f.field("value", value, "at the best estimate");
  f.field("p05", p05, "5 % of the draws are below");
  f.field("p95", p95, "95 % of the draws are no larger");
}

void TermPrice::fields(Fields& f) {
  f.field("term", term, "how GPUs are paid for");
  f.field("usd_per_hour", usd_per_hour, "price of an hour");
}

void Sensitivity::fields(Fields& f) {
  f.field("input", input, "what changes");
  f.field("factor", factor, "by how much");
  f.field("usd_per_hour", usd_per_hour, "then");
  f.field("usd_per_million_output_tokens", usd_per_million_output_tokens, "then");
  f.field("ttft_p99_s", ttft_p99_s, "then");
  f.field("tpot_p99_s", tpot_p99_s, "then");
  f.field("kept", kept, "the promise is still kept, at the best estimate");
}

void PlanDesign::fields(Fields& f) {
  f.field("design", design, "number in the order of the space");
  f.field("settings", settings, "dimension=value");
  f.field("verdict", verdict, "what became of it");
  f.field("why", why, "what ruled it out");
  f.field("front", front, "nothing is better in both of a Pareto goal");
  f.field("gpus", gpus, "in use");
  f.field("nodes", nodes, "in use");
  f.field("spare_nodes", spare_nodes, "for availability");
  f.field("usd_per_hour", usd_per_hour,
          "price of an hour, bills of gateway and outside APIs included; where not simulated, the least it can be");
  f.field("best_case_overload", best_case_overload, "above 1: the promise is out of reach at best");
  f.field("draws", draws, "simulated or ruled out by bound");
  f.field("kept_draws", kept_draws, "of these, in which the promise was kept");
  f.field("kept_fraction_low", kept_fraction_low, "share of all draws: interval");
  f.field("kept_fraction_high", kept_fraction_high, "share of all draws: interval");
  f.field("figures_of", figures_of, "the run that the following figures are those of",
          {"", std::string(best_estimate_figures), std::string(draw_figures), std::string(beginning_figures)});
  f.field("attained_fraction", attained_fraction, "requests within the slo", fraction);
  f.field("ttft_p99_s", ttft_p99_s, "of requests that were served");
  f.field("tpot_p99_s", tpot_p99_s, "of requests that were served");
  f.field("tokens_per_s_per_user", tokens_per_s_per_user, "1 / median TPOT");
  f.field("tokens_per_s_per_gpu", tokens_per_s_per_gpu, "output tokens");
  f.field("score", score, "expected of its answers, where the scenario has scores");
}

void PlanAnswer::fields(Fields& f) {
  f.field("design", design, "number in the order of the space");
  f.field("settings", settings, "dimension=value");
  f.field("set", set, "path=value on the base scenario: the scenario of this design");
  f.field("gpus", gpus, "in use");
  f.field("nodes", nodes, "in use");
  f.field("spare_nodes", spare_nodes, "for availability");
  f.field("usd_per_hour", usd_per_hour, "price of an hour, bills of gateway and outside APIs included");
  f.field("outside_usd_per_hour", outside_usd_per_hour, "of that: stages of the gateway and outside APIs");
  f.field("score", score, "expected of its answers, where the scenario has scores");
  f.field("usd_per_request", usd_per_request, "at the rate that the promise is for");
  f.field("usd_per_million_output_tokens", usd_per_million_output_tokens, "at the rate that the promise is for");
  f.field("mean_usd_per_request", mean_usd_per_request, "at the mean rate, machines paid around the clock");
  f.field("mean_usd_per_million_output_tokens", mean_usd_per_million_output_tokens, "likewise");
  f.field("mean_w", mean_w, "drawn, nodes included");
  f.list("terms", terms, "what it costs under each term on offer", true);
  f.list("promises", promises, "how well each is kept", true);
  f.field("head_room_factor", head_room_factor, "traffic grows so many times before a promise breaks");
  f.field("binding", binding, "which one breaks first; empty: none did at the most that was tried");
  f.list("sensitivities", sensitivities, "what changes with the inputs", true);
}

void Certificate::fields(Fields& f) {
  f.field("complete", complete, "every better design was ruled out");
  f.field("text", text, "in words");
  f.field("designs", designs, "in the space");
  f.field("impossible", impossible, "machines and model do not go together");
  f.field("over_budget", over_budget, "too dear, too much power, too many GPUs");
  f.field("bound", bound, "break the promise even at best");
  f.field("simulated", simulated, "judged by simulation");
  f.field("not_needed", not_needed, "can be no better than the best");
  f.field("not_ruled_out", not_ruled_out, "simulated, and draws do not tell");
  f.field("draws_fraction", draws_fraction, "share of draws that keep the promise; 0: one run, the best estimate");
  f.field("error_fraction", error_fraction, "chance that a verdict is wrong, all of them together");
}

void PlanReport::fields(Fields& f) {
  f.field("name", name, "study");
  f.field("version", version, "of the program");
  f.field("goal", goal, "what was looked for");
  f.field("scenario", scenario, "base scenario");
  f.field("rate_factor", rate_factor, "arrivals over the base scenario's");
  f.list("answers", answers, "the chosen design, or the front", true);
  f.field("closest", closest, "where none keeps its promises");
  f.group("certificate", certificate, "what was proven");
  f.list("designs", designs, "every design", true);
}

std::string to_json(const PlanReport& report) {
  PlanReport copy = report;  // fields() serves reading too, so it wants something it may change
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  JsonWriter writer(json);
  copy.fields(writer);
  round_numbers(json);
  return text_of(json);
}

}  // namespace servecast
