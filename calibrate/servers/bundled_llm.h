#pragma once
#include <string>

namespace servecast {

class CsvRow;

/// Name of the bundled model that the row's column `model` means; UserError where it means none.
std::string bundled_llm(const CsvRow& row);

}  // namespace servecast
