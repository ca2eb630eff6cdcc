#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan/runs/forked_child.h"
#include "sim/plan/runs/simulator.h"

namespace servecast {

struct RunRequest;

/// One run in a child process, which reads the scenario and sends its key; the parent lets it go on or ends it.
class ChildRun {
 public:
  enum class Message : std::uint8_t { nothing_yet, key, summary, refusal, failure };

  ChildRun(Simulator& simulator, const RunRequest& request);

  /// Readable when receive() has something to do.
  int socket() const { return child_.socket(); }
  /// Takes what has come. After `key` the child waits for go_on(). The others are its last words: `refusal` where the
  /// simulator says why not, `failure` where something went wrong that may go well another time.
  Message receive();
  /// What came with the last word that was not nothing_yet.
  const std::string& text() const { return text_; }
  /// Of the simulator; once the key was received, its text() is in it.
  const LoadedRun& loaded() const { return loaded_; }
  void go_on();

 private:
  Message message_of_ended_child();

  ForkedChild child_;
  std::string unread_{};
  std::string text_{};
  LoadedRun loaded_{};
};

}  // namespace servecast
