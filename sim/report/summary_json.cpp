#include "sim/report/json_fields.h"
#include "sim/report/summary.h"

namespace servecast {
namespace {

void latency_fields(Fields& f, Latencies& l, std::optional<Statistics>* itl_s = nullptr) {
  f.group("ttft_s", l.ttft_s, "arrival to first token");
  f.group("tpot_s", l.tpot_s, "per request, mean time per output token after the first");
  if (itl_s) f.group("itl_s", *itl_s, "gap between two output tokens of a request");
  f.group("e2e_s", l.e2e_s, "arrival to last token");
  f.group("queue_s", l.queue_s, "arrival to the first step that works on the request");
}

}  // namespace

void RequestCounts::fields(Fields& f) {
  f.field("arrived", arrived, "all requests");
  f.field("completed", completed, "got all their output tokens");
  f.field("rejected", rejected, "too large for any replica");
  f.field("shed", shed, "turned away for the load (HTTP 429)");
  f.field("timed_out", timed_out, "given up by their clients");
  f.field("lost", lost, "their clients got an error: a replica failed that had them");
  f.field("unfinished", unfinished, "still waiting or running at the end");
}

void SloSummary::fields(Fields& f) {
  f.field("ttft_s", ttft_s, "bound on the time to first token");
  f.field("tpot_s", tpot_s, "bound on the time per output token");
  f.field("e2e_s", e2e_s, "bound on the whole time");
  f.field("target_fraction", target_fraction, "share of requests that shall keep all bounds", fraction);
  f.field("attained_fraction", attained_fraction, "share of requests that kept all bounds", fraction);
  f.field("goodput_requests_per_s", goodput_requests_per_s, "requests that kept all bounds, per second");
  f.field("ttft_attained_fraction", ttft_attained_fraction, "share that kept this bound", fraction);
  f.field("tpot_attained_fraction", tpot_attained_fraction, "share that kept this bound", fraction);
  f.field("e2e_attained_fraction", e2e_attained_fraction, "share that kept this bound", fraction);
}

void CostSummary::fields(Fields& f) {
  f.field("usd_per_hour", usd_per_hour, "price of all GPUs that are paid for, used or not");
  f.field("usd_total", usd_total, "price of all GPUs for the run's duration");
  f.field("usd_per_request", usd_per_request, "total by completed requests");
  f.field("usd_per_million_output_tokens", usd_per_million_output_tokens, "total by output tokens");
}

void EnergySummary::fields(Fields& f) {
  f.field("j_total", j_total, "GPUs, idle time included, and what their nodes draw beside them");
  f.field("j_per_output_token", j_per_output_token, "total by output tokens");
}

void KvTierSummary::fields(Fields& f) {
  f.field("tier", tier, "gpu, or a kind of tier below");
  f.field("hit_tokens", hit_tokens, "prompt tokens found here instead of computed");
  f.field("hit_fraction", hit_fraction, "the same as a share of all prompt tokens computed or found", fraction);
  f.field("fetched_bytes", fetched_bytes, "moved from here to the GPUs");
  f.field("written_bytes", written_bytes, "taken in");
  f.field("evicted_bytes", evicted_bytes, "that left for others or grew too old");
}

void PoolSummary::fields(Fields& f) {
  f.field("name", name, "pool");
  f.field("llm", llm, "model");
  f.field("gpu", gpu, "kind of GPU");
  f.field("replicas", replicas, "copies of the model");
  f.field("gpus", gpus, "GPUs of all replicas");
  f.field("busy_fraction", busy_fraction, "share of replica time with a step", fraction);
  f.field("kv_used_fraction_mean", kv_used_fraction_mean, "share of KV blocks used, mean over time", fraction);
  f.field("kv_used_fraction_max", kv_used_fraction_max, "the same in the fullest replica at its fullest", fraction);
  f.field("sequences_used_fraction", sequences_used_fraction,
          "running sequences by the most that may run, in the busiest tenth of the time", fraction);
  f.field("preemptions", preemptions, "times a sequence lost its KV blocks");
  f.list("kv_tiers", kv_tiers, "where KV was found, tier by tier; empty without tiers");
  f.field("energy_j", energy_j, "of its GPUs");
  f.group("itl_s", itl_s, "gap between two output tokens of a request");
}

void HandOverSummary::fields(Fields& f) {
  f.field("pool", pool, "pool that computed the prompts");
  f.field("requests", requests, "requests that went on elsewhere");
  f.field("bytes", bytes, "of their KV");
  f.group("hand_over_s", hand_over_s, "from the end of the prompt to the KV's arrival");
}

void MigrationSummary::fields(Fields& f) {
  f.field("pool", pool, "pool within which they moved");
  f.field("moved", moved, "sequences that moved to another replica while they decoded; one may do so several times");
  f.field("aborted", aborted, "that did not: finished or preempted while they were copied, or no room");
  f.field("bytes", bytes, "of KV, for those that moved");
  f.group("pause_s", pause_s, "from the last token on one replica until the next can be computed on the other");
}

void ExpertSummary::fields(Fields& f) {
  f.field("pool", pool, "pool whose experts are partly elsewhere");
  f.field("cache_fraction", cache_fraction, "share of a layer's experts that GPU memory holds", fraction);
  f.field("hit_fraction", hit_fraction,
          "share of the experts asked for, per step and layer, that were in GPU memory without a prefetch", fraction);
  f.field("prefetch_hit_fraction", prefetch_hit_fraction, "that a prefetch had named", fraction);
  f.field("loaded_bytes", loaded_bytes, "of experts moved to the GPUs");
  f.field("disk_bytes", disk_bytes, "of these, from disk");
  f.field("wasted_load_fraction", wasted_load_fraction, "share of the loads that were wrong guesses", fraction);
  f.field("stall_fraction", stall_fraction, "share of step time lost to loads that came late", fraction);
  f.field("substituted_fraction", substituted_fraction,
          "share of the tokens' choices that another expert stood in for", fraction);
  f.field("host_fraction", host_fraction, "that the host computed", fraction);
  f.field("left_out_fraction", left_out_fraction, "that were left out", fraction);
  f.field("quality_lost_fraction", quality_lost_fraction,
          "points of accuracy / 100 that this is forecast to cost; absent where nobody published it");
  f.field("quality_extrapolated", quality_extrapolated, "outside what was published");
  f.field("quality_source", quality_source, "where that figure comes from: another model's, as a rule");
}

void SpeculationSummary::fields(Fields& f) {
  f.field("pool", pool, "pool whose sequences speculate");
  f.field("drafted_tokens", drafted_tokens, "drafts checked");
  f.field("accepted_tokens", accepted_tokens, "of these, taken over");
  f.field("accepted_fraction", accepted_fraction, "the same as a share", fraction);
  f.field("tokens_per_step", tokens_per_step, "that a sequence makes in a step with drafts, in the mean");
}

void EarlyExitSummary::fields(Fields& f) {
  f.field("pool", pool, "pool whose tokens leave early");
  f.field("model_layers", model_layers, "layers of its model");
  f.field("layers_per_token", layers_per_token, "after which a token leaves, in the mean");
  f.field("layers_per_step", layers_per_step, "that a decode step runs, in the mean: to its deepest exit");
  f.field("lost_points", lost_points, "of a benchmark's score in percent, as published");
  f.field("accuracy_source", accuracy_source, "where that was published");
}

void AdapterSummary::fields(Fields& f) {
  f.field("pool", pool, "pool that serves the adapters");
  f.field("adapter_slots", adapter_slots, "adapters that one replica holds");
  f.field("hits", hits, "requests whose adapter was on the GPUs when they were admitted");
  f.field("loads", loads, "requests for which it was loaded");
  f.field("hit_fraction", hit_fraction, "hits by both", fraction);
  f.field("stall_s", stall_s, "time in which steps waited for loads, summed over replicas");
}

void ClassSummary::fields(Fields& f) {
  f.field("name", name, "class");
  f.group("requests", requests, "requests of this class");
  latency_fields(f, latencies);
  f.field("attained_fraction", attained_fraction, "share of requests that kept all bounds", fraction);
}

void Summary::fields(Fields& f) {
  f.field("name", name, "scenario");
  f.field("version", version, "of the program");
  f.field("seed", seed, "of the random streams");
  f.field("workload", workload, "what arrives, in words");
  f.field("duration_s", duration_s, "from the start to the last event");
  f.field("steps", steps, "steps simulated");
  f.field("saturated", saturated,
          "the queue grows while requests arrive, or only clients that give up keep it from growing: latencies "
          "depend on how long requests arrive and how long clients wait");
  f.field("near_saturation", near_saturation, "saturated, or a pool runs nearly as many sequences as it may");
  f.group("requests", requests, "how requests ended");
  latency_fields(f, latencies, &itl_s);
  f.field("percentile_error_fraction", percentile_error_fraction,
          "how far percentiles of latencies per request may be off, relative to the exact ones; 0: exact", fraction);
  f.field("requests_per_s", requests_per_s, "completed requests by duration");
  f.field("prompt_tokens_per_s", prompt_tokens_per_s, "prompt tokens of requests with a first token, by duration");
  f.field("output_tokens_per_s", output_tokens_per_s, "output tokens by duration");
  f.group("slo", slo, "what was promised and what was kept");
  f.group("cost", cost, "money");
  f.group("energy", energy, "energy");
  f.group("account", account, "money, energy and carbon by what causes them, where the scenario keeps an account");
  gateway.fields(f);
  f.list("pools", pools, "pool by pool", true);
  f.list("unused_gpus", unused_gpus, "GPUs that no pool uses, of nodes that are rented whole");
  f.list("hand_overs", hand_overs, "pool by pool, where another replica decodes");
  f.list("migrations", migrations, "pool by pool, where sequences move while they decode");
  f.list("expert_offload", expert_offload, "pool by pool, where experts are partly outside GPU memory");
  f.list("speculations", speculations, "pool by pool, where sequences speculate");
  f.list("early_exits", early_exits, "pool by pool, where tokens leave before the last layer");
  f.list("adapters", adapters, "pool by pool, where requests name LoRA adapters");
  f.list("scaling", scaling, "pool by pool, where an autoscaler has replicas come and go");
  f.list("failures", failures, "pool by pool, where something can fail");
  f.list("broken_parts", broken_parts, "kind by kind, where something can fail");
  f.list("classes", classes, "class by class, where there are several");
  f.list("rests_on", rests_on, "what the forecast rests on", true);
  f.list("changed_hardware", changed_hardware,
         "figures of hardware that the scenario states otherwise than its files");
}

std::string to_json(const Summary& summary) {
  Summary copy = summary;  // fields() serves reading too, so it wants something it may change
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  JsonWriter writer(json);
  copy.fields(writer);
  round_numbers(json);
  json["settings"] = nlohmann::ordered_json::parse(summary.settings);
  return text_of(json);
}

namespace {

Summary summary_in(const nlohmann::ordered_json& json, const std::string& file) {
  Summary summary;
  JsonReader reader(json, file);
  summary.fields(reader);
  reader.throw_problems();
  if (!json.contains("settings")) throw UserError({file}, "'settings' is missing; it should be an object");
  summary.settings = json["settings"].dump();
  return summary;
}

}  // namespace

Summary read_summary(const std::string& file) { return summary_in(load_json(file), file); }

Summary summary_from(const std::string& text, const std::string& name) {
  return summary_in(parse_json(text, name), name);
}

}  // namespace servecast
