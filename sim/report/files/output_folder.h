#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sim/report/files/remove_on_signal.h"

namespace servecast {

/// Every file that a report folder may hold.
inline constexpr std::array<std::string_view, 10> report_files{"summary.json",  "requests.csv", "series.csv",
                                                              "platform.json", "replicas.csv", "links.csv",
                                                              "flows.csv",     "gateway.csv",  "steps.csv",
                                                              "trace.json"};

/// The folder of `--out`, written so that it is either the old report or the new one and never something between.
///
/// Files go to `DIR.partial-<pid>` beside it; commit() puts that in DIR's place with one rename. An exception, Ctrl-C
/// or SIGTERM removes it; after kill -9 it stays, and the next run into the same DIR removes it.
/// A DIR that holds anything but a report of ours is refused, so that `--out /home/me` loses nothing.
class OutputFolder {
 public:
  /// Throws UserError where DIR cannot be used.
  explicit OutputFolder(const std::string& dir);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Where to write this file; `name` is one of report_files.
  std::string file(std::string_view name) const;

  /// The report is complete: it replaces DIR. Throws UserError where that fails; then DIR is as it was,
  /// and the message says where the new report is.
  void commit();

 private:
  std::filesystem::path dir_;
  std::filesystem::path partial_;
  std::optional<RemoveOnSignal> on_signal_{};
};

}  // namespace servecast
