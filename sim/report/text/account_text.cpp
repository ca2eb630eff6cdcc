#include "sim/report/text/account_text.h"

#include <fmt/format.h>

#include "sim/report/layout/human.h"
#include "sim/report/layout/item_table.h"

namespace servecast {
TextSection account_section(const AccountSummary& account) {
  TextSection section{.heading = "ACCOUNT in " + account.currency};
  if (account.per_usd != 1) section.heading += fmt::format(", {} to the dollar", human::number(account.per_usd));
  section.tables.push_back(item_table({.indent = "  "}, account.items));
  if (!account.classes.empty())
    section.tables.push_back(item_table(
        {.title = "  shared out by time in service", .indent = "  ", .unnamed = "no class"}, account.classes));
  return section;
}

}  // namespace servecast
