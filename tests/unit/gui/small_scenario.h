#pragma once
#include <QString>

#include "tests/unit/report/files.h"
#include "tests/unit/small_scenario.h"

namespace servecast::gui {

/// Writes that scenario, with `requests` in place of 50, and gives its file.
inline QString write_small_scenario(const TemporaryFolder& folder, const std::string& requests = "50") {
  const std::string fifty = "requests: 50";
  std::string text = small_scenario;
  put_text(folder / "small.yaml", text.replace(text.find(fifty), fifty.size(), "requests: " + requests));
  return QString::fromStdString((folder / "small.yaml").string());
}

}  // namespace servecast::gui
