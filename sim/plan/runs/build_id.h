#pragma once
#include <string>

namespace servecast {

/// Which program this is: the linker's build id, a digest of all that was linked. Results of another one, of a later
/// build with other models say, are not taken for its own.
std::string build_id();

}  // namespace servecast
