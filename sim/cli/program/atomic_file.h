#pragma once
#include <string>
#include <string_view>

namespace servecast {

/// Replaces the contents of a file in one step: a reader sees the old text or the new one. Symbolic links are
/// followed and permissions kept. Throws UserError where that fails, and then the file is as it was.
void replace_file(const std::string& file, std::string_view text);

}  // namespace servecast
