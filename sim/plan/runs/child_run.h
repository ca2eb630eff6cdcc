#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan/runs/simulator.h"

namespace servecast {

struct RunRequest;

/// One run in a child process: a copy of this one (fork without exec, so that nothing is started and read anew). The
/// child reads the scenario and sends its key; the parent lets it go on or ends it. It dies with its parent.
class ChildRun {
 public:
  enum class Message : std::uint8_t { nothing_yet, key, summary, refusal, failure };

  ChildRun(Simulator& simulator, const RunRequest& request);
  ~ChildRun();  // ends the child where it still runs
  ChildRun(const ChildRun&) = delete;
  ChildRun& operator=(const ChildRun&) = delete;

  /// Readable when receive() has something to do.
  int socket() const { return socket_; }
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

  pid_t child_ = 0;
  int socket_ = -1;
  std::string unread_{};
  std::string text_{};
  LoadedRun loaded_{};
};

}  // namespace servecast
