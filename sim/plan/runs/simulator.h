#pragma once
#include <string>

namespace servecast {

struct RunRequest;

/// What load() found.
struct LoadedRun {
  std::string key{};       // the same wherever and whenever all that the run rests on is the same
  std::string learned{};   // for remember()
  std::string rests_on{};  // for still()
};

/// How one run is simulated. load() and run() are called in a process of its own, in this order, once.
class Simulator {
 public:
  virtual ~Simulator() = default;

  /// Reads the scenario. Throws UserError.
  virtual LoadedRun load(const RunRequest& request) = 0;
  /// Runs what was read: the text of summary.json. Throws UserError, and then does so in every run of the same key.
  virtual std::string run() = 0;

  /// In the process that starts the others: what one of them had to read, so that those that follow find it in
  /// memory.
  virtual void remember(const std::string& learned) = 0;

  /// A name of the request: the same only where the program, the scenario's file and all that the request sets are.
  virtual std::string name(const RunRequest& request) = 0;
  /// Whether what else load() has read is as it was then. With the same name() the key is then the same, and no child
  /// has to load the scenario to know it.
  virtual bool still(const std::string& rests_on) = 0;
};

}  // namespace servecast
