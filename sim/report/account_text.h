#pragma once
#include "sim/report/account.h"
#include "sim/report/text_layout.h"

namespace servecast {

/// The account as tables, in its currency.
TextSection account_section(const AccountSummary& account);

}  // namespace servecast
