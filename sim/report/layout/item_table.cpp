#include "sim/report/layout/item_table.h"

#include "sim/report/fields/field_walk.h"
#include "sim/report/layout/figure_text.h"

namespace servecast {
namespace {

/// Headings and cells of one item.
class ItemCells final : public FieldWalk {
 public:
  std::vector<std::string> headings{};
  std::vector<std::string> cells{};
  std::string name{};
  std::size_t left_columns = 1;

  void number(const About& about, std::optional<double> value, bool count) override {
    if (spread_) return statistic(about.key, value);
    if (about.figure) put(about.figure->heading, about.figure->joint, text_of_figure(about, count), value);
  }
  void text(const About& about, const std::string& value) override {
    if (!named_) name = value;
    named_ = true;
    if (!about.figure) return;
    headings.emplace_back(about.figure->heading);
    cells.push_back(value);
    ++left_columns;
  }
  void derive(const About& about, std::optional<double> value) override { number(about, value, false); }

  void enter(const About& about) override {
    spread_ = about.figure;
    spread_text_ = text_of_figure(about, false);
  }
  bool enter_optional(const About& about, bool present) override {
    enter(about);
    if (present) return true;
    if (spread_)
      for (const ShownStatistic& s : spread_->statistics) statistic(s.key, std::nullopt);
    leave();
    return false;
  }
  std::size_t enter_list(const About&, std::size_t) override { return 0; }  // those are shown elsewhere
  void enter_item(std::size_t) override {}
  void leave() override { spread_.reset(); }

 private:
  void statistic(std::string_view key, std::optional<double> value) {
    for (const ShownStatistic& s : spread_->statistics) {
      if (s.key.empty() || s.key != key) continue;
      const std::string composed = std::string(spread_->heading) + " " + std::string(key);
      put(s.heading.empty() && s.joint.empty() ? composed : s.heading, s.joint, spread_text_, value);
    }
  }
  void put(std::string_view heading, std::string_view joint, std::string (*say)(double),
           std::optional<double> value) {
    if (!joint.empty()) {
      if (value) cells.back() += std::string(joint) + say(*value);
    } else if (!heading.empty()) {
      headings.emplace_back(heading);
      cells.push_back(value ? say(*value) : "-");
    }
  }

  std::optional<Shown> spread_{};
  std::string (*spread_text_)(double) = nullptr;
  bool named_ = false;
};

}  // namespace

TextTable item_table(const ItemTable& how, const ItemFields& none, std::span<const ItemFields> items) {
  ItemCells head;
  none(head);
  TextTable table(head.left_columns);
  head.headings.insert(head.headings.begin(), how.title);
  table.row(head.headings);
  for (const ItemFields& item : items) {
    ItemCells row;
    item(row);
    row.cells.insert(row.cells.begin(), how.indent + (row.name.empty() ? how.unnamed : row.name));
    table.row(row.cells);
  }
  return table;
}

}  // namespace servecast
