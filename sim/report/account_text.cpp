#include "sim/report/account_text.h"

#include <fmt/format.h>

#include "sim/report/human.h"

namespace servecast {
namespace {

std::string or_dash(const std::optional<double>& value) { return value ? human::number(*value) : "-"; }

TextTable table_of(const std::string& title, const std::vector<AccountLine>& lines) {
  TextTable table(1);
  table.row({title, "GPU-hours", "kWh", "cost", "per request", "g CO2", "per request"});
  for (const AccountLine& l : lines)
    table.row({"  " + (l.item.empty() ? "no class" : l.item), human::number(l.gpu_hours), human::number(l.kwh),
               human::number(l.cost), or_dash(l.cost_per_request), or_dash(l.co2_g), or_dash(l.co2_g_per_request)});
  return table;
}

}  // namespace

TextSection account_section(const AccountSummary& account) {
  TextSection section{.heading = "ACCOUNT in " + account.currency};
  if (account.per_usd != 1) section.heading += fmt::format(", {} to the dollar", human::number(account.per_usd));
  section.tables.push_back(table_of("", account.items));
  if (!account.classes.empty())
    section.tables.push_back(table_of("  shared out by time in service", account.classes));
  return section;
}

}  // namespace servecast
