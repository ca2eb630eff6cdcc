#pragma once
#include "sim/report/layout/text_layout.h"
#include "sim/report/summary/account.h"

namespace servecast {

/// The account as tables, in its currency.
TextSection account_section(const AccountSummary& account);

}  // namespace servecast
