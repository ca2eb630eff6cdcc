#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace servecast {

/// Digests of files. One whose size and time of change are as before is not read again.
class FileDigests {
 public:
  std::string of(const std::string& file);
  /// Whether of() need not read the file.
  bool knows(const std::string& file) const;

 private:
  struct State {
    std::uintmax_t bytes = 0;
    std::int64_t changed = 0;
    bool operator==(const State&) const = default;
  };
  struct Seen {
    std::optional<State> state{};  // none: not read yet
    std::string digest{};
  };
  static State state_of(const std::string& file);

  std::map<std::string, Seen> seen_{};
};

/// What a run rests on, in one word: the version of the program, every setting (seed, draw and prefix are among
/// them), and what is in the files that it reads, in the order of reading, wherever they lie.
std::string run_key(const std::string& version, const std::string& settings, const std::vector<std::string>& files,
                    FileDigests& digests);

}  // namespace servecast
