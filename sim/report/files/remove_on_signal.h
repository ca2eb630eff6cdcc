#pragma once
#include <string>
#include <vector>

namespace servecast {

/// While it lives, Ctrl-C (SIGINT), SIGTERM and SIGHUP delete these files and then this folder before they end the
/// program as they always do. Nothing else of the folder is touched. One at a time.
class RemoveOnSignal {
 public:
  RemoveOnSignal(std::vector<std::string> files, std::string folder);
  ~RemoveOnSignal();
  RemoveOnSignal(const RemoveOnSignal&) = delete;
  RemoveOnSignal& operator=(const RemoveOnSignal&) = delete;

 private:
  std::vector<std::string> files_;
  std::string folder_;
};

}  // namespace servecast
