#pragma once
#include <string>

namespace servecast {

/// Where to write what shall be called `file`, for code that replaces it by renaming: the end of symbolic links,
/// which a rename would replace. Throws UserError where a folder, a device or a pipe is there.
std::string output_target(const std::string& file);

}  // namespace servecast
