#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "sim/report/layout/text_layout.h"

namespace servecast {

/// Some structs as a table: one in each row, which begins with the first text of the struct, and a column for each
/// figure that has a heading.
struct ItemTable {
  std::string title{};          // over the first column
  std::string indent{};         // of the rows
  std::string unnamed = "all";  // in the first column, where the text is empty
};
/// The cells of one item, from its fields().
using ItemFields = std::function<void(Fields&)>;

TextTable item_table(const ItemTable& how, const ItemFields& none, std::span<const ItemFields> items);

template <HasFields T>
TextTable item_table(const ItemTable& how, const std::vector<T>& items) {
  const auto fields_of = [](T item) { return [item](Fields& f) mutable { item.fields(f); }; };
  std::vector<ItemFields> all;
  for (const T& item : items) all.emplace_back(fields_of(item));
  return item_table(how, fields_of(T{}), all);
}

}  // namespace servecast
