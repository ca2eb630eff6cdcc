#include "tests/matrix/draw/draw_workload.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/input/scenario/scenario.h"

namespace servecast::matrix {
namespace {

const std::vector<const char*> prompts{
    R"({"fixed": 300})",
    R"({"uniform": {"min": 1, "max": 1500}})",
    R"({"exponential": {"mean": 500}, "max": 4000})",
    R"({"lognormal": {"median": 400, "sigma": 1}, "max": 5000})",
    R"({"histogram": {"values": [16, 512, 2048, 9000], "weights": [4, 4, 2, 0.3]}})",
    R"({"zipf": {"exponent": 0.7, "min": 10, "max": 3000}})",
};
const std::vector<const char*> outputs{
    R"({"fixed": 40})",
    R"({"fixed": 1})",
    R"({"exponential": {"mean": 60}, "max": 400})",
    R"({"exponential": {"mean": 60}, "max": 400})",
    R"({"uniform": {"min": 1, "max": 120}})",
    R"({"lognormal": {"median": 30, "sigma": 0.9}, "max": 500})",
};
// Where every token is sent through routed experts, which takes time; requests are fewer then, too.
const std::vector<const char*> brief_prompts{
    R"({"fixed": 60})",
    R"({"uniform": {"min": 1, "max": 200}})",
    R"({"exponential": {"mean": 80}, "max": 700})",
};
const std::vector<const char*> brief_outputs{
    R"({"fixed": 10})",
    R"({"exponential": {"mean": 15}, "max": 60})",
};
const std::vector<const char*> arrivals{
    R"({"poisson": {"requests_per_s": 4}})",
    R"({"poisson": {"requests_per_s": 15}})",
    R"({"poisson": {"requests_per_s": 60}})",
    R"({"gamma": {"requests_per_s": 20, "cv": 4}})",
    R"({"constant": {"requests_per_s": 16}})",
    R"({"on_off": {"on_requests_per_s": 50, "mean_on_s": 2, "mean_off_s": 3}})",
    R"({"closed_loop": {"clients": 12, "think_s": {"exponential": {"mean": 0.3}}}})",
    R"({"closed_loop": {"clients": 30}})",
    R"({"stages": [{"requests_per_s": 10, "duration_s": 4}, {"requests_per_s": 40, "duration_s": 3, "pause_s": 1}]})",
    R"({"stages": [{"requests_per_s": 20, "duration_s": 2, "warm_up": true}, {"requests_per_s": 12, "duration_s": 4},
        {"requests_per_s": 30, "duration_s": 2}]})",
    R"({"poisson": {"requests_per_s": 12}, "day_curve": {"period_s": 20, "peak_factor": 1.8, "peak_s": 5}})",
};
const std::vector<const char*> beginnings{
    R"({"system_prompts": {"count": 3, "tokens": 400}})",
    R"({"system_prompts": {"count": 20, "tokens": 160, "zipf_exponent": 1}})",
    R"({"shared_prefix": {"groups": 4, "prompts_per_group": 5, "system_tokens": 512}})",
};

bool names_adapters(const Tree& pool) {
  return pool.contains("lora") || (pool.contains("expert_offload") && pool.at("expert_offload").contains("models"));
}

bool sees(const Tree& pool) { return pool.at("llm") == "gemma-3-27b"; }

/// A label, and the need of a policy that reads it: where no policy does, it is refused.
struct Label {
  const char* name;
  std::vector<const char*> values;           // as JSON
  bool RequestNeeds::*need;                  // null: what a pool has
  bool (*pool_has)(const Tree&) = nullptr;
};

const std::vector<Label> labels{
    {"priority", {"0", "3", "7"}, &RequestNeeds::priority},
    {"client", {R"("ann")", R"("bob")", R"("cleo")"}, &RequestNeeds::client},
    {"ttft_deadline_s", {"0.2", "2"}, &RequestNeeds::deadline},
    {"adapters", {R"({"count": 2})", R"({"count": 12, "zipf_exponent": 0.5})"}, nullptr, names_adapters},
    {"images", {R"({"tokens": 256})", R"({"count": 4, "tokens": 64})"}, nullptr, sees},
};

template <class Policy>
bool needs(const Label& label, const Tree& policy) {
  return Registry<Policy>::all().at(policy.at("policy").get<std::string>()).prepare()->make()->needs().*label.need;
}

template <class Policy>
bool pool_needs(const Label& label, const Tree& pool, const char* kind) {
  return pool.contains(kind) && needs<Policy>(label, pool.at(kind));
}

bool pool_looks(const Label& label, const Tree& pool) {
  if (label.need == nullptr) return label.pool_has(pool);
  return pool_needs<WaitingQueue>(label, pool, "queue") || pool_needs<Router>(label, pool, "router") ||
         pool_needs<Admission>(label, pool, "admission");
}

bool looked_at(const Label& label, const Tree& source, const Tree& pools, const Tree& gateway) {
  const auto stage = [&](const Tree& s) { return label.need != nullptr && needs<GatewayPolicy>(label, s); };
  const auto goes_to = [&](const Tree& p) {
    if (source.contains("pool")) return source.at("pool") == p.at("name");
    return !gateway.empty() || &p == &pools.front();
  };
  const auto pool = [&](const Tree& p) { return goes_to(p) && pool_looks(label, p); };
  return std::any_of(gateway.begin(), gateway.end(), stage) || std::any_of(pools.begin(), pools.end(), pool);
}

Tree draw_sessions(Draw draw) {
  Tree sessions{
      {"turns", Tree::parse(draw.pick(std::vector{R"({"fixed": 3})", R"({"uniform": {"min": 1, "max": 8}})"}))}};
  if (draw.at("think?").chance(0.7))
    sessions["think_s"] = {{"exponential", {{"mean", draw.at("think").pick(std::vector{0.1, 1.0})}}}};
  if (draw.at("most?").chance(0.5)) sessions["max_session_tokens"] = 4000;
  return sessions;
}

/// What is wanted of one source.
struct Wanted {
  std::int64_t requests = 100;
  bool alone = true;  // there is no other source
  bool brief = false;
};

Tree draw_generate(Draw draw, const Wanted& wanted) {
  Tree generate{{"requests", wanted.requests},
                {"arrivals", Tree::parse(draw.at("arrivals").pick(arrivals))},
                {"prompt_tokens", Tree::parse(draw.at("prompt").pick(wanted.brief ? brief_prompts : prompts))},
                {"output_tokens", Tree::parse(draw.at("output").pick(wanted.brief ? brief_outputs : outputs))}};
  if (draw.at("sessions?").chance(0.25)) generate["sessions"] = draw_sessions(draw.at("sessions"));
  if (!wanted.brief && draw.at("beginning?").chance(0.4)) {
    const Tree beginning = Tree::parse(draw.at("beginning").pick(beginnings));
    if (!beginning.contains("shared_prefix") || !generate.contains("sessions")) generate.update(beginning);
  }
  if (draw.at("cold").chance(0.1)) generate["cold_fraction"] = 0.3;
  if (generate["arrivals"].contains("stages") && draw.at("drained").chance(0.6))
    generate["arrivals"]["next_stage"] = "drained";
  if (generate["arrivals"].contains("stages") && draw.at("gaps").chance(0.5))
    generate["arrivals"]["stage_gaps"] = "poisson";
  return generate;
}

Tree draw_source(Draw draw, const Wanted& wanted, const Tree& pools, const Tree& gateway) {
  Tree source{{"generate", draw_generate(draw.at("generate"), wanted)}};
  if (pools.size() > 1 && draw.at("pool?").chance(wanted.alone ? 0.25 : 0.7))
    source["pool"] = draw.at("pool").pick(pools).at("name");
  for (const Label& label : labels)
    if (looked_at(label, source, pools, gateway) && draw.at(label.name).chance(0.85))
      source[label.name] = Tree::parse(draw.at(label.name).at("value").pick(label.values));
  if (draw.at("class?").chance(0.2))
    source["class"] = draw.at("class").pick(std::vector<std::string>{"long", "short"});
  if (draw.at("timeout?").chance(0.4))
    source["client_timeout_s"] = draw.at("timeout").pick(std::vector{0.01, 0.3, 1.0, 4.0});
  if (draw.at("samples").chance(0.1))
    source["samples"] = 3;
  else if (draw.at("beams").chance(0.07))
    source["beam_width"] = 2;
  return source;
}

}  // namespace

Tree draw_workload(Draw draw, const Tree& pools, const Tree& gateway) {
  const std::int64_t count = draw.at("count").pick(std::vector<std::int64_t>{1, 1, 2, 3});
  const bool brief =
      std::any_of(pools.begin(), pools.end(), [](const Tree& p) { return p.contains("expert_offload"); });
  const std::int64_t requests = brief ? 60 : draw.at("requests").pick(std::vector<std::int64_t>{100, 100, 150, 300});
  if (count == 1) return draw_source(draw.at("source0"), {.requests = requests, .brief = brief}, pools, gateway);
  Tree mix = Tree::array();
  const Wanted wanted{.requests = requests / count, .alone = false, .brief = brief};
  for (std::int64_t i = 0; i < count; ++i)
    mix.push_back(draw_source(draw.at("source" + std::to_string(i)), wanted, pools, gateway));
  return {{"mix", mix}};
}

}  // namespace servecast::matrix
