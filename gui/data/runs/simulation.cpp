#include "gui/data/runs/simulation.h"

#include <nlohmann/json.hpp>

#include "gui/data/runs/program.h"

namespace servecast::gui {
namespace {

std::optional<Progress> progress_of(const QByteArray& line) {
  const auto json = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
  if (!json.is_object() || !json.contains("fraction")) return std::nullopt;
  Progress progress{.fraction = json.value("fraction", 0.0),
                    .simulated_s = json.value("simulated_s", 0.0),
                    .arrived = json.value("arrived", qint64{0}),
                    .finished = json.value("finished", qint64{0})};
  if (json.contains("eta_s") && json["eta_s"].is_number()) progress.eta_s = json["eta_s"].get<double>();
  return progress;
}

}  // namespace

Simulation::Simulation(QObject* parent) : QObject(parent) {
  process_.setStandardOutputFile(QProcess::nullDevice());
  connect(&process_, &QProcess::readyReadStandardError, this, &Simulation::read_progress);
  connect(&process_, &QProcess::finished, this, &Simulation::ended);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart)
      emit failed(tr("servecast cannot be started: %1").arg(process_.errorString()));
  });
}

Simulation::~Simulation() {
  process_.disconnect(this);
  constexpr int time_to_clear_away_ms = 2000;
  if (!running()) return;
  process_.terminate();
  if (process_.waitForFinished(time_to_clear_away_ms)) return;
  process_.kill();
  process_.waitForFinished();
}

void Simulation::start(const SimulationOrder& order) {
  Q_ASSERT(!running());
  order_ = order;
  rest_.clear();
  complaints_.clear();
  cancelling_ = false;
  QStringList arguments{"run", order.scenario, "--out", order.folder, "--progress", "json"};
  if (!order.detail.isEmpty()) arguments << "--detail" << order.detail;
  if (order.replicates > 0) arguments << "--replicates" << QString::number(order.replicates);
  for (const QString& edit : order.edits) arguments << "--set" << edit;
  if (order.text)
    arguments << "--text"
              << "-";
  process_.start(servecast_path(), arguments);
  if (order.text) process_.write(order.text->toUtf8());
  process_.closeWriteChannel();
  if (running()) emit started();  // else failed() has said that it cannot be started
}

void Simulation::cancel() {
  if (!running()) return;
  cancelling_ = true;
  process_.terminate();  // it clears away what it has begun to write
}

void Simulation::read_progress() {
  rest_ += process_.readAllStandardError();
  for (qsizetype end = rest_.indexOf('\n'); end >= 0; end = rest_.indexOf('\n')) {
    const QByteArray line = rest_.left(end);
    rest_.remove(0, end + 1);
    if (const auto progress = progress_of(line))
      emit progressed(*progress);
    else
      complaints_ += QString::fromUtf8(line) + "\n";
  }
}

void Simulation::ended(int status, QProcess::ExitStatus how) {
  read_progress();
  if (cancelling_) return emit cancelled();
  if (how == QProcess::CrashExit)
    return emit failed(tr("servecast was ended by a signal.\n%1").arg(complaints_.trimmed()));
  if (status != 0) return emit failed(complaints_.trimmed());
  emit finished(order_.folder);
}

}  // namespace servecast::gui
