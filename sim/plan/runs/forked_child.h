#pragma once
#include <sys/types.h>

#include <functional>

namespace servecast {

/// A copy of this process (fork without exec, so that nothing is started and read anew) and a socket to it. It dies
/// with its parent.
class ForkedChild {
 public:
  /// `work` is what the copy does, with its end of the socket, and all that it does. Throws UserError where there can
  /// be no other process.
  explicit ForkedChild(const std::function<void(int socket)>& work);
  ~ForkedChild();  // ends it where it still runs
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;

  int socket() const { return socket_; }
  /// Until it has ended, once: its status, as waitpid() tells it.
  int wait();

 private:
  pid_t pid_ = 0;  // 0: it has ended
  int socket_ = -1;
};

}  // namespace servecast
