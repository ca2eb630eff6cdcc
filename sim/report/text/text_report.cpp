#include "sim/report/text/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "sim/report/fields/field_walk.h"
#include "sim/report/figures/figures.h"
#include "sim/report/layout/human.h"
#include "sim/report/layout/item_table.h"
#include "sim/report/layout/sparkline.h"
#include "sim/report/layout/text_layout.h"
#include "sim/report/record/over_time.h"
#include "sim/report/text/account_text.h"
#include "sim/report/text/gateway_text.h"
#include "sim/report/text/verdict.h"
#include "sim/report/text/warnings.h"

namespace servecast {
namespace {

enum class Paint { plain, bold, green, red, yellow };

/// Puts the report together, section by section.
class Page {
 public:
  explicit Page(const TextOptions& options) : options_(options), width_(static_cast<std::size_t>(options.width)) {}

  void line(std::string_view text, Paint paint = Paint::plain, std::size_t indent = 0) {
    text_ += painted(wrapped(text, width_, indent), paint) + "\n";
  }
  void heading(std::string_view text) {
    text_ += "\n";
    line(text, Paint::bold);
  }
  void table(const TextTable& table) { text_ += table.text(2, width_); }
  bool unicode() const { return options_.unicode; }
  std::size_t width() const { return width_; }

  std::string text() && { return options_.unicode ? std::move(text_) : to_ascii(std::move(text_)); }

 private:
  std::string painted(const std::string& text, Paint paint) const {
    constexpr std::array<std::string_view, 5> codes{"", "\x1b[1m", "\x1b[1;32m", "\x1b[1;31m",
                                                    "\x1b[33m"};  // by Paint
    if (!options_.colour || paint == Paint::plain) return text;
    return std::string(codes[static_cast<std::size_t>(paint)]) + text + "\x1b[0m";
  }

  const TextOptions& options_;
  std::size_t width_;
  std::string text_{};
};

void title(Page& page, const Summary& s) {
  page.line(s.name.empty() ? "Forecast" : s.name, Paint::bold);
  std::string gpus;
  for (const PoolSummary& pool : s.pools)
    gpus += fmt::format("{}{} x {}", gpus.empty() ? "" : ", ", pool.gpus, pool.gpu);
  std::string text =
      fmt::format("{} on {}, for {}: {} requests, {} completed", s.workload, gpus.empty() ? "outside APIs" : gpus,
                  human::span(s.duration_s), human::count(s.requests.arrived), human::count(s.requests.completed));
  if (s.requests.rejected > 0) text += fmt::format(", {} rejected", human::count(s.requests.rejected));
  if (s.requests.shed > 0) text += fmt::format(", {} turned away", human::count(s.requests.shed));
  if (s.requests.lost > 0) text += fmt::format(", {} lost", human::count(s.requests.lost));
  if (s.requests.timed_out > 0) text += fmt::format(", {} timed out", human::count(s.requests.timed_out));
  if (s.requests.unfinished > 0) text += fmt::format(", {} unfinished", human::count(s.requests.unfinished));
  page.line(text + ".");
  page.line("");
  page.line(verdict(s.slo), !s.slo.attained_fraction ? Paint::plain : s.slo.met() ? Paint::green : Paint::red);
  if (const std::string bounds = bound_by_bound(s.slo); !bounds.empty()) page.line(bounds);
  for (const ClassSummary& c : s.classes)
    if (s.slo.classes_missed > 0 && c.promised.target_fraction && !c.slo().met())
      page.line(fmt::format("  {}: {}", c.name, verdict(c.slo())), Paint::red);
}

/// Spreads that have a line among the latencies, as the rows of a table.
class LatencyLines final : public FieldWalk {
 public:
  LatencyLines() { table_.row({"", "mean", "p50", "p90", "p95", "p99", "max"}); }
  /// Those that stand in a struct itself; `whose` goes behind their names.
  template <HasFields T>
  void add(const T& of, const std::string& whose = "") {
    whose_ = whose;
    walk(of, *this);
  }
  const TextTable& table() const { return table_; }

  void number(const About&, std::optional<double> value, bool) override {
    if (!cells_.empty()) cells_.push_back(human::seconds(*value));
  }
  void enter(const About& about) override {
    if (about.figure && !about.figure->line.empty()) cells_ = {std::string(about.figure->line) + whose_};
  }
  bool enter_optional(const About& about, bool present) override {
    enter(about);
    if (present) return true;
    if (!cells_.empty()) cells_.resize(7, "-");
    leave();
    return false;
  }
  std::size_t enter_list(const About&, std::size_t) override { return 0; }
  void enter_item(std::size_t) override {}
  void leave() override {
    if (!cells_.empty()) table_.row(std::exchange(cells_, {}));
  }

 private:
  TextTable table_{1};
  std::string whose_{};
  std::vector<std::string> cells_{};
};

void latency(Page& page, const Summary& s) {
  page.heading("LATENCY");
  LatencyLines lines;
  lines.add(s);
  for (const HandOverSummary& h : s.hand_overs) lines.add(h, " " + h.pool);
  for (const MigrationSummary& m : s.migrations) lines.add(m, " " + m.pool);
  page.table(lines.table());
}

/// What calibration and chance leave open, for the figures that one plans with.
void intervals(Page& page, const Summary& s, const Interval& interval) {
  page.heading(fmt::format("WITHIN, 9 times out of 10 ({} replicates)", interval.replicates));
  TextTable table(1);
  table.row({"", "forecast", "from", "to"});
  const FigureValues best(s), low(interval.p05), high(interval.p95);
  for (const char* key :
       {"ttft_s.mean", "ttft_s.p99", "tpot_s.mean", "e2e_s.mean", "e2e_s.p99", "output_tokens_per_s"}) {
    const Figure row = figure(key);
    const auto text = [&](const FigureValues& values) { return row.shown(values.of(key)); };
    table.row({row.heading, text(best), text(low), text(high)});
  }
  page.table(table);
}

void totals(Page& page, const Summary& s) {
  const auto or_dash = [](const std::optional<double>& value, auto format) { return value ? format(*value) : "-"; };
  const auto item = [&](std::string_view name, std::string_view text) {
    page.line(fmt::format("  {:<12}{}", name, text), Paint::plain, 14);
  };
  page.heading("IN ALL");
  item("throughput",
       fmt::format("{} requests/s · {} prompt tokens/s · {} output tokens/s", human::number(s.requests_per_s),
                   human::number(s.prompt_tokens_per_s), human::number(s.output_tokens_per_s)));
  if (s.slo.goodput_requests_per_s)
    item("goodput", human::number(*s.slo.goodput_requests_per_s) + " requests/s within the SLO");
  if (s.pools.empty()) return;  // APIs are asked instead and send bills: see GATEWAY
  item("cost", fmt::format("{}/h · {} per million output tokens · {}/request · {} in all",
                           human::usd(s.cost.usd_per_hour), or_dash(s.cost.usd_per_million_output_tokens, human::usd),
                           or_dash(s.cost.usd_per_request, human::usd), human::usd(s.cost.usd_total)));
  for (const UnusedGpus& unused : s.unused_gpus)
    item("of that",
         fmt::format("{}/h for {} GPUs{} that no pool uses: nodes are rented whole", human::usd(unused.usd_per_hour),
                     human::number(unused.gpus), unused.group.empty() ? "" : " of group " + unused.group));
  for (const SiteEgress& sent : s.egress)
    item("egress", fmt::format("{} from group {} to other sites: {} in all, which the cost has in it",
                               human::bytes(sent.bytes), sent.group, human::usd(sent.usd)));
  item("energy", fmt::format("{} · {} per output token", human::joules(s.energy.j_total),
                             or_dash(s.energy.j_per_output_token, human::joules)));
}

void pools(Page& page, const Summary& s) {
  if (s.pools.empty()) return;
  page.heading("POOLS");
  page.table(item_table({}, s.pools));
  for (const PoolSummary& p : s.pools)
    if (!p.kv_tiers.empty()) page.table(item_table({.title = "  KV of " + p.name, .indent = "  "}, p.kv_tiers));
  for (const SpeculationSummary& p : s.speculations)
    page.line(fmt::format("  {}: {} of {} drafts taken over ({}), {} tokens a step and sequence", p.pool,
                          human::count(p.accepted_tokens), human::count(p.drafted_tokens),
                          human::percent(p.accepted_fraction), human::number(p.tokens_per_step)));
  for (const EarlyExitSummary& p : s.early_exits) {
    std::string text =
        fmt::format("  {}: tokens leave after {} of {} layers, steps run {}", p.pool,
                    human::number(p.layers_per_token), p.model_layers, human::number(p.layers_per_step));
    if (p.lost_points)
      text += fmt::format("; answers lose {} points ({})", human::number(*p.lost_points), p.accuracy_source);
    page.line(text, Paint::plain, 4);
  }
  for (const AdapterSummary& p : s.adapters)
    page.line(fmt::format("  {}: {} of requests found their adapter in one of {} slots; {} loads, steps waited {}",
                          p.pool, human::percent(p.hit_fraction), p.adapter_slots, human::count(p.loads),
                          human::seconds(p.stall_s)));
}

/// Nothing where there are none.
template <class T>
void items(Page& page, std::string_view heading, const std::vector<T>& all) {
  if (all.empty()) return;
  page.heading(heading);
  page.table(item_table({.unnamed = ""}, all));
}

void answers(Page& page, const Summary& s) {
  if (s.answer_losses.empty()) return;
  page.heading("ANSWERS of changed models");
  for (const AnswerLossSummary& a : s.answer_losses) {
    const std::string lost = !a.lost_points
                                 ? "not known"
                                 : fmt::format("{} points ({} to {})", human::number(*a.lost_points),
                                               human::number(a.least_points), human::number(a.most_points));
    page.line(fmt::format("  lost in {} by {}: {}{} ({})", a.pool, a.change, lost,
                          a.extrapolated ? ", extrapolated" : "", a.source),
              Paint::plain, 4);
  }
}

void experts(Page& page, const Summary& s) {
  items(page, "EXPERTS outside GPU memory", s.expert_offload);
  for (const ExpertSummary& e : s.expert_offload) {
    std::string lost = human::percent(e.quality_lost_fraction) + " of accuracy";
    if (e.quality_lost_fraction > 0)
      lost += fmt::format(" ({} to {})", human::percent(e.quality_lost_least_fraction),
                          human::percent(e.quality_lost_most_fraction));
    page.line(
        fmt::format("  quality lost in {}: {}{}{}", e.pool, lost, e.quality_extrapolated ? ", extrapolated" : "",
                    e.quality_source.empty() ? "" : " (" + e.quality_source + ")"),
        Paint::plain, 4);
  }
  items(page, "MODELS that share the slots", s.expert_models);
  for (const ExpertSummary& e : s.expert_offload)
    if (e.shared_weight_bytes > 0)
      page.line(fmt::format("  the models of {} would take {} more without common weights", e.pool,
                            human::bytes(e.shared_weight_bytes)));
}

void put(Page& page, const TextSection& section) {
  page.heading(section.heading);
  for (const TextTable& table : section.tables) page.table(table);
  for (const std::string& line : section.lines) page.line(line, Paint::plain, 4);
}

void failures(Page& page, const Summary& s) {
  items(page, "FAILURES", s.failures);
  if (s.failures.empty()) return;
  for (const BrokenPartSummary& p : s.broken_parts)
    page.line(fmt::format("  {}: {} failures of {} parts, available {}", p.part, human::count(p.failures),
                          human::count(p.parts), human::percent(p.available_fraction)));
}

void curves(Page& page, const Summary& s, std::span<const SeriesRow> series) {
  if (series.empty()) return;
  page.heading("OVER TIME, up to " + human::span(s.duration_s));
  const OverTime all = sum_over_pools(series);
  std::int64_t gpus = 0;
  for (const PoolSummary& pool : s.pools) gpus += pool.gpus;
  constexpr std::size_t room_for_text = 36;  // names and peaks beside the curve
  const std::size_t width = page.width() > room_for_text ? page.width() - room_for_text : 1;
  TextTable table(3);
  const auto curve = [&](std::string name, const std::vector<double>& values, std::optional<std::int64_t> full) {
    const double peak = std::ranges::max(values);
    table.row({std::move(name), sparkline(values, full ? static_cast<double>(*full) : peak, width, page.unicode()),
               "peak " + human::number(peak) + (full ? " of " + human::count(*full) : "")});
  };
  curve("waiting", all.waiting, std::nullopt);
  curve("running", all.running, std::nullopt);
  curve("busy GPUs", all.busy_gpus, gpus);
  if (!s.scaling.empty()) curve("rented GPUs", all.rented_gpus, gpus);
  page.table(table);
}

/// "12 GB of copies: 90 % published, 10 % data sheet"
void copies(Page& page, const Summary& s) {
  std::map<std::string, double> bytes_by_basis;
  double all = 0;
  for (const CopiesMade& made : s.copies) {
    bytes_by_basis[made.basis] += made.bytes;
    all += made.bytes;
  }
  if (all == 0) return;
  std::string text;
  for (const auto& [basis, bytes] : bytes_by_basis)
    text += fmt::format("{} {} {}", text.empty() ? ":" : ",", human::percent(bytes / all), basis);
  page.line(fmt::format("  {} of copies between memories{}", human::bytes(all), text), Paint::plain, 4);
}

void rests_on(Page& page, const Summary& s) {
  page.heading("RESTS ON");
  if (s.pools.empty()) page.line("  what the gateway's stages say of outside APIs");
  for (const RestsOn& basis : s.rests_on) {
    std::string text = fmt::format("  {}: {}", basis.pool, basis.latency_model);
    if (!basis.fitted_range.empty())
      text += fmt::format(", fitted on {}, {} of step time outside", basis.fitted_range,
                          human::percent(basis.extrapolated_fraction));
    if (!basis.engine.empty()) text += "; engine " + basis.engine;
    for (const std::string& note : basis.notes) text += "; " + note;
    page.line(text, Paint::plain, 4);
  }
  copies(page, s);
  for (const ChangedHardware& figure : s.changed_hardware)
    page.line(fmt::format("  {}: {}, where the file says {}", figure.setting, figure.to, figure.from), Paint::plain,
              4);
  for (const AddedFile& added : s.added_files)
    page.line(fmt::format("  {} comes from {} (SHA-256 {}...)", added.brings, added.file, added.sha256.substr(0, 12)),
              Paint::plain, 4);
  if (s.percentile_error_fraction > 0)
    page.line(fmt::format("  percentiles: from histograms, within {} of the exact ones",
                          human::percent(s.percentile_error_fraction)));
  page.line(fmt::format("  servecast {} · seed {} · {} steps", s.version, s.seed, human::count(s.steps)));
}

}  // namespace

std::string text_report(const Summary& summary, std::span<const SeriesRow> series, const TextOptions& options,
                        const std::optional<Interval>& interval) {
  Page page(options);
  title(page, summary);
  latency(page, summary);
  if (interval) intervals(page, summary, *interval);
  totals(page, summary);
  if (summary.account) put(page, account_section(*summary.account));
  for (const TextSection& section : gateway_sections(summary.gateway)) put(page, section);
  pools(page, summary);
  answers(page, summary);
  experts(page, summary);
  items(page, "SCALING", summary.scaling);
  failures(page, summary);
  items(page, "CLASSES", summary.classes);
  curves(page, summary, series);
  const std::vector<std::string> warned = warnings(summary, series);
  if (!warned.empty()) page.heading("WARNINGS");
  for (const std::string& warning : warned) page.line("  ! " + warning, Paint::yellow, 4);
  rests_on(page, summary);
  return std::move(page).text();
}

}  // namespace servecast
