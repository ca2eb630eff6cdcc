#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gui/data/report/csv_columns.h"
#include "gui/data/words/quantity.h"

namespace servecast::gui {

struct Requests;

/// A column of the table of requests: of requests.csv, or a latency that follows from it.
struct RequestField {
  std::string_view key{};  // as in docs/report.md
  Quantity quantity = Quantity::count;
  const Column* numbers = nullptr;  // one of these two
  const Words* words = nullptr;

  QString text(std::size_t row) const;
};

/// The columns that this report has. They point into `requests`.
std::vector<RequestField> request_fields(const Requests& requests);

/// All rows in rising order of a field; rows without a value come last. Equal ones stay in order of their id.
struct SortedRows {
  std::vector<std::uint32_t> rows{};
  std::size_t with_value = 0;  // this many at the front have one
};
SortedRows sorted_by(const RequestField& field, std::size_t rows);

/// What a filter lets through: 1 or 0 for each row. The text is like "ttft_s > 0.5 status = completed": comparisons
/// with = != < <= > >=, all of which must hold; a number alone is a request_id. Times are in seconds, or have a unit
/// ("ttft_s > 500ms"). Throws UserError where it cannot be understood.
std::vector<std::uint8_t> filter_rows(const std::string& text, const std::vector<RequestField>& fields,
                                      std::size_t rows);

}  // namespace servecast::gui
