#pragma once
#include <string>
#include <string_view>

namespace servecast {

/// Writes a whole file; throws UserError where that fails.
void write_text(const std::string& file, std::string_view text);

}  // namespace servecast
