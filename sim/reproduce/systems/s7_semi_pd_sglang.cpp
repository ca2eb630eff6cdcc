#include <fmt/format.h>

#include <map>

#include "sim/reproduce/probes/highest_rate.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s7_semi_pd_sglang {
namespace {

/// Mean end-to-end time, P90 per output token, P90 of the first token.
ProbePtr times_at(double rate, const std::vector<Override>& more) {
  const PaperSetup setup{.scenario = "s7_semi_pd_sglang", .set = RateSearch{}.at(rate)};
  return run_probe(setup.with(more), {figure_at("e2e_s.mean"), figure_at("tpot_s.p90"), figure_at("ttft_s.p90")});
}

}  // namespace

PaperSystem all_figures() {
  PaperSystem system{.id = "S7",
                     .title = "semi-PD against SGLang",
                     .source = "arXiv 2504.19867: DeepSeek-V2-Lite on one A100, mean end-to-end time"};
  std::map<int, ProbePtr> semi;
  std::map<int, ProbePtr> sglang;
  std::map<int, Quantity> sooner;
  for (const int rate : {6, 10, 14, 18}) {
    semi[rate] = times_at(rate, {});
    sglang[rate] = times_at(rate, {{"pools[0].placement", "{policy: colocated}"}});
    sooner.emplace(rate, Quantity(sglang[rate], 0) / Quantity(semi[rate], 0));
    system.rows.push_back({.figure = fmt::format("sooner at {} requests/s", rate),
                           .unit = as_times(),
                           .asked = between(1.2, 2.7),
                           .ours = sooner.at(rate)});
    if (rate <= 14) system.rows.back().published = between(1.27, 2.40);
  }
  system.rows.push_back({.figure = "more so at 10 than at 6 requests/s",
                         .unit = as_times(),
                         .asked = at_least(1),
                         .ours = sooner.at(10) / sooner.at(6)});
  system.rows.push_back({.figure = "more so at 14 than at 10 requests/s",
                         .unit = as_times(),
                         .asked = at_least(1),
                         .ours = sooner.at(14) / sooner.at(10)});
  const std::string late = "first tokens take half as long here";
  const auto add = [&](const std::string& name, const std::map<int, ProbePtr>& of, std::size_t which, int rate,
                       double published_s, double share) {
    system.rows.push_back({.figure = fmt::format("{} at {} requests/s", name, rate),
                           .unit = as_ms(),
                           .published = exactly(published_s),
                           .asked = within(share, published_s),
                           .ours = Quantity(of.at(rate), which),
                           .missed = which == 2 ? late : ""});
  };
  add("SGLang: P90 per output token", sglang, 1, 6, 0.042, 0.05);  // what its host time was set on
  add("SGLang: P90 per output token", sglang, 1, 14, 0.137, 0.1);
  add("semi-PD: P90 per output token", semi, 1, 6, 0.030, 0.25);
  add("semi-PD: P90 per output token", semi, 1, 14, 0.043, 0.25);
  add("SGLang: P90 of the first token", sglang, 2, 6, 0.220, 0.25);
  add("SGLang: P90 of the first token", sglang, 2, 14, 0.450, 0.25);
  add("semi-PD: P90 of the first token", semi, 2, 6, 0.270, 0.25);
  add("semi-PD: P90 of the first token", semi, 2, 14, 0.400, 0.25);
  return system;
}

}  // namespace servecast::s7_semi_pd_sglang
