#include "sim/report/figures/figures.h"

#include <algorithm>
#include <array>

#include "models/base/error.h"
#include "models/base/names.h"
#include "models/base/units.h"
#include "sim/report/fields/field_walk.h"
#include "sim/report/layout/figure_text.h"

namespace servecast {
namespace {

/// Knows the key of what is visited.
class KeyWalk : public FieldWalk {
 public:
  void enter(const About& about) override { above_.push_back(key_of(about.key)); }
  void leave() override { above_.pop_back(); }

 protected:
  std::string key_of(std::string_view key) const {
    return above_.back().empty() ? std::string(key) : above_.back() + "." + std::string(key);
  }
  void enter_entry(const std::string& which) { above_.push_back(above_.back() + "[" + which + "]"); }

 private:
  std::vector<std::string> above_{""};
};

/// Every key, with one entry in every list and nothing absent.
class Describing final : public KeyWalk {
 public:
  std::vector<FigureRow> rows{};
  std::vector<Figure> figures{};

  void number(const About& about, std::optional<double>, bool count) override {
    if (spread_) return add_figure(*spread_, " " + std::string(about.key), about.key, count);
    add(about, RowKind::number);
    if (about.figure) add_figure(about, "", about.key, count);
  }
  void text(const About& about, const std::string&) override { add(about, RowKind::text); }
  void yes_no(const About& about) override { add(about, RowKind::yes_no); }
  void other(const About& about) override { add(about, RowKind::text); }
  void derive(const About& about, std::optional<double>) override {
    add(about, RowKind::derived);
    add_figure(about, "", about.key, false);
  }
  void enter(const About& about) override {
    add(about, about.figure ? RowKind::spread : RowKind::map);
    if (about.figure) spread_ = about;
    KeyWalk::enter(about);
  }
  bool enter_optional(const About& about, bool) override { return enter(about), true; }
  std::size_t enter_list(const About& about, std::size_t) override {
    add(about, RowKind::list);
    KeyWalk::enter(about);
    return 1;
  }
  void enter_item(std::size_t) override { enter_entry(""); }
  void leave() override {
    spread_.reset();
    KeyWalk::leave();
  }

 private:
  void add(const About& about, RowKind kind) {
    rows.push_back({key_of(about.key), kind, about.help, unit_of(about.key), about.figure});
  }
  /// `about`: of the figure, or of the spread that `statistic` belongs to.
  void add_figure(const About& about, const std::string& statistic, std::string_view key, bool count) {
    Figure f{.key = key_of(key), .unit = unit_of(about.key), .better = about.figure->better};
    f.heading = about.figure->heading.empty() ? f.key : std::string(about.figure->heading) + statistic;
    f.text = text_of_figure(about, count);
    figures.push_back(std::move(f));
  }

  std::optional<About> spread_{};
};

class Reading final : public KeyWalk {
 public:
  std::map<std::string, double, std::less<>> values{};

  void number(const About& about, std::optional<double> value, bool) override {
    if (value) values.emplace(key_of(about.key), *value);
  }
  void derive(const About& about, std::optional<double> value) override { number(about, value, false); }
  bool enter_optional(const About& about, bool present) override {
    if (present) enter(about);
    return present;
  }
  std::size_t enter_list(const About& about, std::size_t size) override { return enter(about), size; }
  void enter_item(std::size_t index) override { enter_entry(std::to_string(index)); }
};

Describing described() {
  Describing all;
  walk(Summary{}, all);
  return all;
}

/// "pools[0].gpus" -> "pools[].gpus".
std::string without_numbers(std::string_view key) {
  std::string out;
  bool inside = false;
  for (const char c : key) {
    inside = inside && c != ']';
    if (!inside) out += c;
    inside = inside || c == '[';
  }
  return out;
}

/// Of the whole key or of its end, whichever is nearer to what the user wrote.
std::size_t distance(std::string_view wanted, const std::string& key) {
  return std::min(edit_distance(wanted, key),
                  edit_distance(wanted, std::string_view(key).substr(key.rfind('.') + 1)));
}

/// The key with its end, where an earlier version called that otherwise, as it is called now.
std::string renamed(const std::string& key) {
  const std::size_t end = key.rfind('.') + 1;
  const auto* now = std::ranges::find(renamed_keys, std::string_view(key).substr(end), &RenamedKey::former);
  return now == renamed_keys.end() ? key : key.substr(0, end) + std::string(now->key);
}

struct Listed {
  std::string_view name;
  std::string_view key;
  bool wide_only = false;
};
constexpr std::array<Listed, 15> all_compared{
    {{"requests_per_s", "requests_per_s"},
     {"output_tokens_per_s", "output_tokens_per_s"},
     {"ttft_mean_s", "ttft_s.mean"},
     {"ttft_p99_s", "ttft_s.p99"},
     {"tpot_mean_s", "tpot_s.mean"},
     {"tpot_p99_s", "tpot_s.p99"},
     {"e2e_mean_s", "e2e_s.mean"},
     {"e2e_p99_s", "e2e_s.p99"},
     {"attained_fraction", "slo.attained_fraction"},
     {"goodput_requests_per_s", "slo.goodput_requests_per_s"},
     {"usd_per_hour", "cost.usd_per_hour", true},
     {"usd_per_million_output_tokens", "cost.usd_per_million_output_tokens"},
     {"energy_j", "energy.j_total", true},
     {"j_per_output_token", "energy.j_per_output_token"},
     {"lost_points", "lost_points"}}};

}  // namespace

std::vector<FigureRow> figure_rows() { return described().rows; }

const std::vector<Figure>& figures() {
  static const std::vector<Figure> all = described().figures;
  return all;
}

Figure figure(std::string_view key) {
  const std::string general = without_numbers(key);
  const auto found = std::ranges::find(figures(), general, &Figure::key);
  if (found == figures().end()) {
    const std::string now = renamed(general);
    const auto nearest =
        std::ranges::min_element(figures(), {}, [&](const Figure& f) { return distance(now, f.key); });
    throw UserError("unknown figure '" + std::string(key) + "'; did you mean '" + nearest->key +
                    "'? `servecast schema --of figures` lists them");
  }
  if (key.find("[]") != std::string_view::npos)
    throw UserError("'" + std::string(key) + "' is one figure for each entry; name one by its number, from [0] on");
  Figure f = *found;
  if (f.heading == f.key) f.heading = key;
  f.key = key;
  return f;
}

FigureValues::FigureValues(const Summary& summary) {
  Reading all;
  walk(summary, all);
  values_ = std::move(all.values);
}

std::optional<double> FigureValues::of(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<FigureColumn> figure_columns() {
  std::vector<FigureColumn> all;
  for (const Listed& l : all_compared) all.push_back({figure(l.key), std::string(l.name), l.wide_only});
  return all;
}

std::vector<FigureColumn> figure_columns(std::span<const std::string> keys) {
  if (keys.empty()) return figure_columns();
  std::vector<FigureColumn> some;
  for (const std::string& key : keys) some.push_back({figure(key), key});
  return some;
}

}  // namespace servecast
