#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace servecast {

/// Digests of files. One whose size and time of change are as before is not read again.
class FileDigests {
 public:
  std::string of(const std::string& file);

 private:
  struct Seen {
    std::uintmax_t bytes = 0;
    std::int64_t changed = 0;
    std::string digest{};
  };
  std::map<std::string, Seen> seen_{};
};

/// What a run rests on, in one word: the version of the program, every setting (seed, draw and prefix are among
/// them), and what is in the files that it reads, in the order of reading, wherever they lie.
std::string run_key(const std::string& version, const std::string& settings, const std::vector<std::string>& files,
                    FileDigests& digests);

}  // namespace servecast
