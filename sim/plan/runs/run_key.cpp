#include "sim/plan/runs/run_key.h"

#include <array>
#include <filesystem>
#include <fstream>

#include "sim/plan/runs/sha256.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

std::string digest_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  Sha256 sha;
  std::array<char, 65536> part;
  while (in.read(part.data(), part.size()), in.gcount() > 0)
    sha.add({part.data(), static_cast<std::size_t>(in.gcount())});
  return sha.hex();
}

}  // namespace

std::string FileDigests::of(const std::string& file) {
  Seen& seen = seen_[file];
  if (const auto now = state_of(file); seen.state != now)
    seen = {.state = now, .digest = now ? digest_of(file) : Seen{}.digest};
  return seen.digest;
}

bool FileDigests::knows(const std::string& file) const {
  const auto seen = seen_.find(file);
  return seen != seen_.end() && seen->second.state == state_of(file);
}

std::optional<FileDigests::State> FileDigests::state_of(const std::string& file) {
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(file, missing);
  if (missing) return std::nullopt;
  return State{.bytes = bytes, .changed = fs::last_write_time(file).time_since_epoch().count()};
}

std::string run_key(const std::string& program, const std::string& settings, const std::vector<std::string>& files,
                    FileDigests& digests) {
  Sha256 sha;
  sha.add(program).add("\n").add(settings).add("\n");
  for (const std::string& file : files) sha.add(digests.of(file));
  return sha.hex();
}

}  // namespace servecast
