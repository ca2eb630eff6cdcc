#include "sim/report/files/remove_on_signal.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cassert>
#include <span>

namespace servecast {
namespace {

// A signal handler can reach nothing but globals. It reads paths made beforehand and calls only what POSIX lists as
// safe inside a handler: unlink, rmdir, signal, raise.
struct Doomed {
  std::span<const std::string> files;
  const char* folder = nullptr;
};
Doomed doomed;
std::atomic<bool> armed = false;
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

void remove_and_die(int signal_number) {
  if (armed.exchange(false)) {
    for (const std::string& file : doomed.files) ::unlink(file.c_str());
    ::rmdir(doomed.folder);
  }
  ::signal(signal_number, SIG_DFL);
  ::raise(signal_number);
}

}  // namespace

RemoveOnSignal::RemoveOnSignal(std::vector<std::string> files, std::string folder)
    : files_(std::move(files)), folder_(std::move(folder)) {
  assert(!armed);
  doomed = {.files = files_, .folder = folder_.c_str()};
  armed = true;
  for (const int signal_number : ending_signals)
    if (::signal(signal_number, remove_and_die) == SIG_IGN) ::signal(signal_number, SIG_IGN);  // nohup
}

RemoveOnSignal::~RemoveOnSignal() {
  armed = false;
  for (const int signal_number : ending_signals) {
    if (::signal(signal_number, SIG_DFL) == SIG_IGN) ::signal(signal_number, SIG_IGN);
  }
}

}  // namespace servecast
