#include "sim/plan/runs/forked_child.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "models/base/error.h"

namespace servecast {
namespace {

[[noreturn]] void fail() { throw UserError(std::string("no child process can be started: ") + std::strerror(errno)); }

}  // namespace

ForkedChild::ForkedChild(const std::function<void(int socket)>& work) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail();
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it died before that
    ::close(ends[0]);
    work(ends[1]);
    ::_exit(0);  // nothing of the parent's is flushed or closed twice
  }
  ::close(ends[1]);
  socket_ = ends[0];
  if (pid_ > 0) return;
  ::close(socket_);
  fail();
}

ForkedChild::~ForkedChild() {
  ::close(socket_);
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  wait();
}

int ForkedChild::wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = 0;
  return status;
}

}  // namespace servecast
