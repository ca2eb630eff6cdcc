#include "tests/matrix/draw/draw_failures.h"

#include <string>
#include <vector>

namespace servecast::matrix {
namespace {

struct Kind {
  const char* name;
  double mtbf_s = 0;    // so that one or two break in a run
  bool notice = false;  // can be given
};
const std::vector<Kind> failure_kinds{{"node", 20, true}, {"gpu", 60, true}, {"nic", 60},    {"link", 15},
                                      {"switch", 30},     {"trunk", 15},     {"storage", 15}};

Tree draw_rates(Draw draw, const Parts& parts) {
  Tree rates = Tree::array();
  for (const Kind& kind : failure_kinds) {
    Draw of = draw.at(kind.name);
    const std::string name = kind.name;
    if (!of.chance(0.3) || (name == "link" && !parts.spine) || (name == "trunk" && !parts.trunk)) continue;
    Tree rate{{"part", kind.name},
              {"mtbf_s", kind.mtbf_s * of.at("mtbf").pick(std::vector{0.5, 1.0, 3.0})},
              {"mttr_s", of.at("mttr").pick(std::vector{0.3, 2.0, 6.0})}};
    if (kind.notice && of.at("notice").chance(0.3)) rate["notice_s"] = 1.5;
    rates.push_back(rate);
  }
  return rates;
}

Tree what_fails(Draw draw, const Parts& parts) {
  const std::int64_t node = draw.at("node").between(0, parts.nodes - 1);
  std::vector<Tree> all{{{"node", node}},
                        {{"node", node}, {"gpu", draw.at("gpu").between(0, parts.node_gpus - 1)}},
                        {{"replica", draw.at("replica").between(0, parts.replicas - 1)}},
                        {{"replica", draw.at("replica").between(0, parts.replicas - 1)}},
                        {{"node", node}, {"nic", 0}},
                        {{"switch", 0}},
                        {{"storage", true}}};
  if (parts.spine) all.push_back({{"link", 0}});
  if (parts.trunk) all.push_back({{"trunk", 0}});
  return draw.pick(all);
}

bool holds_replicas(const Tree& event) {
  return (event.contains("node") && !event.contains("nic")) || event.contains("replica");
}

Tree draw_event(Draw draw, const Parts& parts) {
  Tree event{{"at_s", draw.at("at").pick(std::vector{0.0, 0.7, 2.5, 6.0})}};
  event.update(what_fails(draw.at("what"), parts));
  if (holds_replicas(event) && draw.at("slow?").chance(0.3)) {
    event["slow_s"] = 3;
    draw.at("factor").chance(0.5) ? event["step_time_factor"] = 2.5 : event["clock_fraction"] = 0.6;
    return event;
  }
  event["down_s"] = draw.at("down").pick(std::vector{0.2, 2.0, 8.0});
  if (holds_replicas(event) && draw.at("notice").chance(0.3)) event["notice_s"] = 1;
  return event;
}

}  // namespace

Tree draw_failures(Draw draw, const Parts& parts) {
  Tree failures{{"in_flight", draw.at("in_flight").pick(std::vector<std::string>{"lost", "retry", "recompute"})}};
  if (draw.at("stated?").chance(0.9)) failures["engine_init_s"] = draw.at("init").pick(std::vector{0.0, 0.5, 2.0});
  if (draw.at("retries?").chance(0.3)) failures["max_retries"] = draw.at("retries").pick(std::vector{0, 1, 20});
  if (!parts.several_groups && draw.at("spares").chance(parts.scales ? 0.5 : 0.2)) failures["spares"] = 1;
  const Tree rates = draw_rates(draw.at("rates"), parts);
  if (!rates.empty()) failures["rates"] = rates;
  const std::int64_t count = draw.at("count").between(rates.empty() ? 1 : 0, 2);
  for (std::int64_t i = 0; i < count; ++i)
    failures["events"].push_back(draw_event(draw.at("event" + std::to_string(i)), parts));
  return failures;
}

}  // namespace servecast::matrix
