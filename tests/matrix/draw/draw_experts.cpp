#include "tests/matrix/draw/draw_experts.h"

#include "models/policy/expert_cache.h"
#include "models/policy/expert_miss.h"
#include "models/policy/expert_prefetch.h"
#include "models/policy/expert_routing.h"
#include "models/policy/kv_cache.h"
#include "tests/matrix/draw/draw_policy.h"

namespace servecast::matrix {
namespace {

/// A recording belongs to one model, so it is no row of values.cpp.
Tree draw_routing(Draw draw, const Model& model) {
  if (model.routing.empty() || !draw.at("recorded").chance(0.4)) return draw_policy<ExpertRouting>(draw);
  return {{"policy", "trace"}, {"path", SERVECAST_SOURCE_DIR "/tests/matrix/data/" + model.routing}};
}

/// Further models that share the slots. A recording knows those only that keep all experts.
Tree draw_models(Draw draw, const Model& model, bool recorded) {
  Tree tuned{{"name", "tuned"}, {"count", 2}, {"tuned_fraction", draw.at("tuned").pick(std::vector{0.0, 0.2, 1.0})}};
  if (draw.at("gained?").chance(0.5)) tuned["gained_points"] = 10;
  Tree models = Tree::array({tuned});
  if (!recorded && draw.at("pruned?").chance(0.4))
    models.push_back({{"name", "pruned"}, {"experts", model.experts / 2}});
  return models;
}

}  // namespace

void add_exchange(Draw draw, const Fitted& fitted, Tree& pool) {
  const bool copies = draw.at("copies").chance(0.4);
  Tree exchange = Tree::object();
  if (copies) exchange["redundant_experts"] = fitted.cut.expert;
  if (draw.at("kernels").chance(0.4)) exchange["kernels"] = "low_latency";
  if (draw.at("halves").chance(0.3)) exchange["two_batch_overlap"] = true;
  if (!exchange.empty()) pool["expert_exchange"] = exchange;
  if (!draw.at("balance?").chance(0.4)) return;
  pool["expert_balance"] = {{"routing", draw_routing(draw.at("routing"), fitted.model)}, {"profile_tokens", 512}};
  if (!copies && draw.at("in_order").chance(0.4)) pool["expert_balance"]["placement"] = "in_order";
}

void add_offload(Draw draw, const Model& model, Tree& pool) {
  if (!draw.at("offload?").chance(0.35)) return;
  Tree offload{{"profile_tokens", 256}};
  const bool models = draw.at("models?").chance(made<KvCache>(pool["kv_cache"])->shares_prefixes() ? 0.4 : 0.25);
  const std::string how =
      draw.at("how").pick(std::vector<std::string>{"slots_per_layer", "cache_fraction", "kv_tokens"});
  if (how == "slots_per_layer") offload[how] = draw.at("slots").pick(std::vector{0, 2, 6});
  if (how == "cache_fraction")
    offload[how] = draw.at("share").pick(models ? std::vector{0.1, 0.25} : std::vector{0.25, 0.5, 1.0});
  if (how == "kv_tokens") offload[how] = 8192;
  if (draw.at("streams?").chance(0.3)) offload["streams"] = 2;
  if (draw.at("disk?").chance(0.3)) offload["host_bytes"] = 2e10;
  offload["routing"] = draw_routing(draw.at("routing"), model);
  if (models) offload["models"] = draw_models(draw.at("which"), model, offload["routing"]["policy"] != "synthetic");
  offload["cache"] = draw_policy<ExpertCache>(draw.at("cache"), [](ExpertCache& c) { return !c.clairvoyant(); });
  offload["prefetch"] = draw_policy<ExpertPrefetch>(draw.at("prefetch"));
  offload["miss"] = draw_policy<ExpertMiss>(draw.at("miss"));
  offload["host"] = {{"flop_per_s", 1e12}, {"memory_bytes_per_s", 6e10}};
  pool["expert_offload"] = offload;
}

}  // namespace servecast::matrix
