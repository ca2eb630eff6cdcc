#pragma once
#include <string>

namespace servecast {

/// The YAML `text` with `value` (itself YAML) at `path`, e.g. "pools[0].router.policy". Nothing else moves: comments,
/// order, quotes and spacing stay as they are. A key that is not there yet is added as the last of its map.
///
/// The result is read back and compared with what was asked for; where the text is written in a way that this cannot
/// follow (anchors, a text over several lines), it throws UserError and says so. `file` names the text in messages.
std::string edit_yaml(const std::string& file, const std::string& text, const std::string& path,
                      const std::string& value);

}  // namespace servecast
