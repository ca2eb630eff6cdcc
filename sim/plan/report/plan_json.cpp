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

void CostShare::fields(Fields& f) {
  f.field("item", item, "what is paid for");
  f.field("usd_per_hour", usd_per_hour, "price of an hour, in the mean over the day");
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
  f.field("verdict", verdict, "how it was judged");
  f.field("why", why, "what ruled it out");
  f.field("says", says, "both, as a sentence");
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
  f.field("lost_points", lost_points,
          "of a benchmark's score in percent, in the pool that loses most; null: not published");
  f.field("machines", machines, "in words");
  f.field("requests_per_s", requests_per_s, "that arrive where it keeps its promises");
  f.field("gpus", gpus, "in use");
  f.field("nodes", nodes, "in use");
  f.field("spare_nodes", spare_nodes, "for availability");
  f.field("usd_per_hour", usd_per_hour, "all that an hour is paid for, in the mean over the day");
  f.field("usd_per_month", usd_per_month, "of 730 hours");
  f.field("usd_per_month_low", usd_per_month_low,
          "of the cheapest design that keeps its promises, draw by draw: 5 % of the draws are below");
  f.field("usd_per_month_high", usd_per_month_high, "95 % of the draws are no dearer");
  f.field("high_is_open", high_is_open, "in some draw no design did that was tried");
  f.list("cost_lines", cost_lines, "what it is made of", true);
  f.field("outside_usd_per_hour", outside_usd_per_hour,
          "of that, what comes with the requests: gateway stages, outside APIs, egress");
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

void PlanKind::fields(Fields& f) {
  f.field("gpus", gpus, "kinds of GPU; empty: outside APIs alone");
  f.field("designs", designs, "in the space");
  f.field("design", design, "number of the best one that keeps its promises");
  f.field("settings", settings, "dimension=value");
  f.field("machines", machines, "in words");
  f.field("usd_per_hour", usd_per_hour, "price of an hour");
  f.field("usd_per_month", usd_per_month, "of 730 hours");
  f.field("says", says, "how well it keeps them, or why none does");
}

void PlanMonth::fields(Fields& f) {
  f.field("month", month, "1 is the first");
  f.field("requests_per_s", requests_per_s, "that the promise is for");
  f.field("settings", settings, "dimension=value");
  f.field("machines", machines, "in words");
  f.field("terms", terms, "GPUs that are held under which term");
  f.field("usd", usd, "price of the month");
}

void WrongGrowth::fields(Fields& f) {
  f.field("growth_error_fraction", growth_error_fraction, "growth is so much more, or less, than planned");
  f.field("usd", usd, "then, over the horizon, with the plan's commitments");
  f.field("best_usd", best_usd, "had it been known");
  f.field("says", says, "why there are no amounts");
}

void PlanIdea::fields(Fields& f) {
  f.field("name", name, "options taken together");
  f.field("design", design, "number of their cheapest design that keeps its promises");
  f.field("settings", settings, "dimension=value");
  f.field("machines", machines, "in words");
  f.field("usd_per_month", usd_per_month, "of 730 hours");
  f.field("usd_per_month_low", usd_per_month_low, "5 % of the draws are below");
  f.field("usd_per_month_high", usd_per_month_high, "95 % of the draws are no dearer");
  f.field("saved_usd_per_month", saved_usd_per_month, "against the scenario as it is");
  f.field("sum_usd_per_month", sum_usd_per_month, "of several: what each saves alone, added up");
  f.field(
      "lost_points", lost_points,
      "of the answers' score in percent: as the option states it, or what is published of the design's weights and "
      "models, whichever is more; null: not published");
  f.field("rests_on", rests_on, "what it takes for granted");
  f.field("says", says, "why there is no design");
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
  f.field("undecided_by_bounds", undecided_by_bounds, "where nothing was simulated: these need simulations");
  f.field("not_ruled_out", not_ruled_out, "simulated, and draws do not tell");
  f.field("draws_fraction", draws_fraction, "share of draws that keep the promise; 0: one run, the best estimate");
  f.field("error_fraction", error_fraction, "chance that any verdict is wrong");
}

void PlanReport::fields(Fields& f) {
  f.field("headline", headline, "the answer in a sentence");
  f.field("name", name, "study");
  f.field("version", version, "of the program");
  f.field("goal", goal, "what was looked for");
  f.field("scenario", scenario, "base scenario");
  f.field("rate_factor", rate_factor, "arrivals over the base scenario's");
  f.field("requests_per_s", requests_per_s, "that the promise is for");
  f.field("mean_requests_per_s", mean_requests_per_s, "over the day");
  f.list("kinds", kinds, "the best design of each kind of GPU", true);
  f.list("answers", answers, "the chosen design, or the front", true);
  f.list("months", months, "what to have in which month of the horizon", true);
  f.field("horizon_usd", horizon_usd, "price of all months");
  f.field("later_usd", later_usd, "after the horizon, for commitments that outlast it");
  f.field("horizon_says", horizon_says, "why there is no schedule");
  f.field("first_design_breaks", first_design_breaks, "when the first month's design breaks which promise");
  f.list("wrong_growth", wrong_growth, "what it costs to be wrong about growth", true);
  f.list("ideas", ideas, "options, each with its own cheapest design, the cheapest first", true);
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
