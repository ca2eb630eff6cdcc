#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace servecast {

/// Digests of files; "-" of one that is not there. One whose size and time of change are as before is not read again.
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
    std::optional<State> state{};  // none: not there
    std::string digest = "-";
  };
  static std::optional<State> state_of(const std::string& file);

  std::map<std::string, Seen> seen_{};
};

/// What a run rests on, in one word: the program (see build_id()), every setting (seed, draw and prefix are among
/// them), and what is in the files that it reads, in the order of reading, wherever they lie.
std::string run_key(const std::string& program, const std::string& settings, const std::vector<std::string>& files,
                    FileDigests& digests);

}  // namespace servecast
