#include "gui/data/report/report.h"

#include <QFileInfo>
#include <QVersionNumber>

#include "models/base/error.h"

namespace servecast::gui {

bool later_version(const std::string& a, const std::string& b) {
  return QVersionNumber::fromString(QString::fromStdString(a)) >
         QVersionNumber::fromString(QString::fromStdString(b));
}

/// What --detail wrote is an extra: where it cannot be read, the rest of the report is shown and the notice says so.
template <class T, class Read>
void Report::read_if_there(std::optional<T>& into, const std::string& name, Read read) {
  if (!QFileInfo::exists(QString::fromStdString(file(name)))) return;
  try {
    into = read(file(name));
  } catch (const UserError& error) {
    notice += (notice.empty() ? "" : "\n") + std::string(error.what());
  }
}

Report::Report(const std::string& path, const std::string& version) : folder(path) {
  const QFileInfo info(QString::fromStdString(path));
  label = info.fileName().toStdString();
  if (!info.isDir()) throw UserError({path}, "there is no such report folder");
  summary = read_summary(file("summary.json"));
  if (later_version(summary.version, version))
    notice =
        "written by servecast " + summary.version + ", this is " + version + ": what it does not know is not shown";
  interval = read_interval(file("summary.json"));
  requests = read_requests(file("requests.csv"));
  series = read_series(file("series.csv"));
  read_if_there(platform, "platform.json", read_platform);
  read_if_there(replicas, "replicas.csv", read_replicas);
  read_if_there(links, "links.csv", read_links);
  read_if_there(flows, "flows.csv", read_flows);
}

const Steps* Report::steps() {
  if (!looked_for_steps_) {
    looked_for_steps_ = true;
    read_if_there(steps_, "steps.csv", read_steps);
  }
  return steps_ ? &*steps_ : nullptr;
}

}  // namespace servecast::gui
