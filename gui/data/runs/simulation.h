#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <optional>

namespace servecast::gui {

/// One line of `--progress json`.
struct Progress {
  double fraction = 0;
  double simulated_s = 0;
  qint64 arrived = 0;
  qint64 finished = 0;
  std::optional<double> eta_s{};
};

/// What to run.
struct SimulationOrder {
  QString scenario{};             // file
  std::optional<QString> text{};  // in place of what the file says
  QStringList edits{};            // "path=value", as for --set
  QString detail{};               // as for --detail; may be empty
  int replicates = 0;             // as for --replicates; 0: none
  QString folder{};               // of the report
};

/// `servecast run` as a child process. The simulation happens there; however it ends, this program lives on.
class Simulation final : public QObject {
  Q_OBJECT

 public:
  explicit Simulation(QObject* parent = nullptr);
  ~Simulation() override;

  void start(const SimulationOrder& order);
  /// Ends the child. An earlier report in the folder stays whole.
  void cancel();
  bool running() const { return process_.state() != QProcess::NotRunning; }
  const SimulationOrder& order() const { return order_; }

 signals:
  void started();
  void progressed(const servecast::gui::Progress& progress);
  void finished(const QString& folder);
  void cancelled();
  void failed(const QString& message);

 private:
  void read_progress();
  void ended(int status, QProcess::ExitStatus how);

  QProcess process_;
  SimulationOrder order_{};
  QByteArray rest_{};     // of a line that has not arrived whole
  QString complaints_{};  // lines of stderr that are no progress
  bool cancelling_ = false;
};

}  // namespace servecast::gui
