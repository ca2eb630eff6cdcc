#include "calibrate/cli/tables/operator_table.h"

#include <fmt/format.h>

#include "models/base/escaped.h"
#include "models/hw/profile/kernel_profile.h"

namespace servecast {

std::string operator_title(const FittedOperator& fitted) {
  std::string title = fitted.op;
  for (const std::string& part : {fitted.dtype, fitted.kv_dtype, fitted.mode})
    if (!part.empty()) title += " " + part;
  return fitted.head_dim > 0 ? fmt::format("{} head {}", title, fitted.head_dim) : title;
}

std::string operator_table_header() {
  return "| operator | rows of | fitted | left out | held out | median % | p90 % | p95 % |\n"
         "|---|---|--:|--:|--:|--:|--:|--:|\n";
}

std::string operator_table_row(const FittedOperator& fitted) {
  const FitEvidence& e = fitted.evidence;
  return fmt::format("| {} | {} | {} | {} | {} | {:.1f} | {:.1f} | {:.1f} |\n", visible(operator_title(fitted)),
                     visible(e.source), e.rows, e.left_out_rows, e.held_out_rows, 100 * e.median_error,
                     100 * e.p90_error, 100 * e.p95_error);
}

std::string transfer_table_header() {
  return "\n| copies | rows of | rows | start µs | GB/s | further piece µs | error % |\n"
         "|---|---|--:|--:|--:|--:|--:|\n";
}

std::string transfer_table_row(const TransferLaw& law) {
  return fmt::format("| {}{} | {} | {} | {:.2f} | {:.1f} | {:.2f} | {:.1f} |\n", visible(law.op),
                     law.pageable ? " pageable" : "", visible(law.source), law.rows, 1e6 * law.start_s,
                     law.bytes_per_s / 1e9, 1e6 * law.piece_s, 100 * law.rms_error);
}

}  // namespace servecast
