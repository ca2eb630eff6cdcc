#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/base/names.h"
#include "sim/cli/listing/list_data.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/report/fields/json_fields.h"
#include "sim/report/layout/text_layout.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> kinds() {
  std::vector<std::string> words;
  for (const Listing& listing : listings()) words.emplace_back(listing.kind);
  return words;
}

ordered_json overview_items() {
  ordered_json items = ordered_json::array();
  for (const Listing& listing : listings())
    items.push_back({{"kind", listing.kind}, {"count", listing.items().size()}, {"help", listing.help}});
  return items;
}

std::string overview_text(const ordered_json& items) {
  TextTable rows(3);
  for (const ordered_json& item : items) rows.row({item.at("kind"), item.at("count").dump(), item.at("help")});
  return rows.text(0, any_width) + "\n'servecast list KIND' shows them.\n";
}

/// What an item says in a word, a number or a sentence, but for where it is from; in its groups as `group.key`, and
/// no deeper: the kernel constants of a GPU are no table to read.
void put_figures(const ordered_json& item, const std::string& group, ordered_json& figures) {
  for (const auto& [key, value] : item.items())
    if (value.is_object() && group.empty())
      put_figures(value, key + ".", figures);
    else if (!value.is_structured() && key != "from")
      figures[group + key] = value;
}

/// A table of the items' figures; the first names them.
std::string markdown(const ordered_json& items) {
  std::vector<ordered_json> rows;
  std::vector<std::string> columns;
  for (const ordered_json& item : items) {
    put_figures(item, "", rows.emplace_back());
    for (const auto& [key, value] : rows.back().items())
      if (std::ranges::find(columns, key) == columns.end()) columns.push_back(key);
  }
  std::string text = "|";
  for (const std::string& key : columns) text += key == "help" ? " what it is |" : " " + key + " |";
  text += "\n|";
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
  text += "\n";
  for (const ordered_json& row : rows) {
    for (const std::string& key : columns) {
      const ordered_json value = row.value(key, ordered_json());
      std::string words = value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
      for (auto at = words.find('|'); at != std::string::npos; at = words.find('|', at + 2)) words.insert(at, "\\");
      text += key == columns.front() ? "| `" + words + "` |" : " " + words + " |";
    }
    text += "\n";
  }
  return text;
}

class ListCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    add_choice(app, "KIND", kind_, "kind", kinds(), "What to list; left out: how much there is of each");
    add_choice(app, "--format", format_, "format", {"text", "json", "markdown"},
               "How to write it (text); markdown: names and what each is, as a table");
    app.footer("Examples:\n  servecast list\n  servecast list gpus\n  servecast list routers --format json");
  }
  int run(Console& console) override {
    const Listing overview{.kind = "", .help = "", .items = overview_items, .text = overview_text};
    const auto chosen = std::ranges::find(listings(), kind_, &Listing::kind);
    const Listing& listing = kind_.empty() ? overview : *chosen;
    const ordered_json items = listing.items();
    console.out << (format_ == "json"       ? text_of(items)
                    : format_ == "markdown" ? markdown(items)
                                            : listing.text(items));
    return 0;
  }

 private:
  std::string kind_;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_list_command() { return std::make_unique<ListCommand>(); }

}  // namespace servecast
