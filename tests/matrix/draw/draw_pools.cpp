#include "tests/matrix/draw/draw_pools.h"

#include "models/policy/placement.h"
#include "sim/input/scenario/gpu_places.h"
#include "tests/matrix/draw/draw_policy.h"
#include "tests/matrix/draw/draw_pool.h"

namespace servecast::matrix {
namespace {

const std::vector<std::string> names{"chat", "second", "third"};

/// A placement that hands sequences over to another pool: its settings say to which one.
Tree draw_hand_over(Draw draw, const std::string& to) {
  std::vector<std::string> policies;
  for (const std::string& name : drawable<Placement>())
    for (const Setting& s : schema_of<Placement>(name))
      if (s.path == "decode_pool") policies.push_back(name);
  const std::string policy = draw.pick(policies);
  Tree placement{{"policy", policy}, {"decode_pool", to}};
  placement.update(draw_settings(draw.at(policy), "placement", policy, {}));
  return placement;
}

struct Placed {
  Machine machine;
  Fitted fitted;
};

/// The model is that of the first pool; the cut, too, now and then, and where its own machine has no room for it.
Placed draw_decoder(Draw draw, const Placed& own, const Placed& first) {
  if (own.machine.gpu != first.machine.gpu)
    if (const auto fitted = draw_cut(draw.at("elsewhere"), own.machine, first.fitted.model))
      return {own.machine, *fitted};
  if (own.machine.gpu != first.machine.gpu || draw.at("cut?").chance(0.5)) return first;
  return own.fitted.model.name == first.fitted.model.name ? own : first;
}

}  // namespace

Tree draw_pools(Draw draw, const std::vector<Machine>& machines) {
  const std::size_t count = draw.at("count").pick(std::vector<std::size_t>{1, 1, 1, 2, 2, 2, 3});
  const bool hands_over = count > 1 && draw.at("hands_over").chance(0.5);
  Tree pools = Tree::array();
  Placed first;
  for (std::size_t i = 0; i < count; ++i) {
    Draw of_pool = draw.at(names[i]);
    const Machine& own = machines[i % machines.size()];
    const bool decodes = hands_over && i == 1;
    Placed placed{own, draw_model(of_pool, own)};
    if (decodes) placed = draw_decoder(of_pool, placed, first);
    if (i == 0) first = placed;
    pools.push_back(draw_pool(of_pool, {.name = names[i], .machine = placed.machine, .decodes_for_others = decodes},
                              placed.fitted));
  }
  if (hands_over) pools[0]["placement"] = draw_hand_over(draw.at("hand_over"), names[1]);
  if (draw.at("fp8").chance(0.1))
    for (Tree& pool : pools) pool["kv_cache_dtype"] = "fp8";
  return pools;
}

std::int64_t nodes_for(const Tree& pools, const Machine& machine) {
  constexpr std::int64_t more_than_enough = 1000;
  GpuAllocator gpus(0, more_than_enough, machine.gpus);
  std::int64_t last = 0;
  for (const Tree& pool : pools) {
    if (pool.at("gpu") != machine.gpu) continue;
    for (std::int64_t i = 0; i < pool.at("replicas"); ++i) {
      const Cut cut = cut_of(pool);
      last = gpus.place(cut.tensor * cut.expert, cut.pipeline)->gpus.back().node;
    }
  }
  return last + 1;
}

}  // namespace servecast::matrix
