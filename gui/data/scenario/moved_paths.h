#pragma once
#include <QStringList>
#include <nlohmann/json_fwd.hpp>

namespace servecast::gui {

/// A scenario before it goes to another folder.
struct MovingScenario {
  const nlohmann::ordered_json& settings;  // as `servecast check` gives them
  QStringList files_read{};                // likewise
  QString from_folder{};
  QString to_folder{};
};

/// `path=value` for each setting that names a file by a path relative to its folder: what names the same file from the
/// new folder. A setting names a file where the check read one of that name, or one inside a folder of that name that
/// no other setting names. What came with the program is named by its whole path, all else relatively, as it was.
QStringList moved_paths(const MovingScenario& scenario);

}  // namespace servecast::gui
