#pragma once
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "models/base/error.h"

namespace servecast {

/// Whether a file or folder is there, or something whose kind cannot be found, such as a circle of symbolic links:
/// opening it says why. As is_folder(), it never throws.
inline bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type() != std::filesystem::file_type::not_found;
}

inline bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

/// Why a file cannot be opened.
inline UserError unreadable(const std::string& file) {
  if (is_folder(file)) return {Place{.file = file}, "is a folder, not a file"};
  std::error_code error;
  if (!std::filesystem::exists(file, error) && !error)
    return {Place{.file = file}, "cannot be read; give the path of an existing file"};
  return {Place{.file = file}, "cannot be read: " + (error ? error.message() : std::string("Permission denied"))};
}

/// More than any settings file and any report has.
inline constexpr std::size_t settings_mib = 64;
inline constexpr std::size_t report_mib = 256;

/// The bytes of a file that is held as a whole. Throws UserError where it cannot be read, or has more than so many
/// MiB, as devices and pipes without end have.
inline std::string read_whole(const std::string& file, std::size_t most_mib) {
  std::ifstream in(file, std::ios::binary);
  if (is_folder(file) || !in) throw unreadable(file);
  const std::size_t most = most_mib << 20;
  std::string bytes;
  while (in && bytes.size() <= most) {
    const std::size_t have = bytes.size();
    bytes.resize(std::min(most + 1, std::max<std::size_t>(2 * have, 4096)));
    in.read(bytes.data() + have, static_cast<std::streamsize>(bytes.size() - have));
    bytes.resize(have + static_cast<std::size_t>(in.gcount()));
  }
  if (bytes.size() > most)
    throw UserError(Place{.file = file}, "has more than " + std::to_string(most_mib) + " MiB; name a smaller file");
  return bytes;
}

}  // namespace servecast
