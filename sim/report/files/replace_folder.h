#pragma once
#include <filesystem>

namespace servecast {

/// Puts folder `fresh` in the place of folder `dir`, which may not exist yet. Both are on one file system.
/// Throws std::filesystem::filesystem_error, and then `dir` is as it was. What `dir` held is afterwards at `fresh`,
/// at `aside` or gone.
void replace_folder(const std::filesystem::path& fresh, const std::filesystem::path& dir,
                    const std::filesystem::path& aside);

/// The two ways to do that when `dir` exists. The first swaps the folders in one step and is false where the file
/// system cannot; the second moves the old one aside first, so that for an instant there is none.
bool exchange_folders(const std::filesystem::path& fresh, const std::filesystem::path& dir);
void replace_stepwise(const std::filesystem::path& fresh, const std::filesystem::path& dir,
                      const std::filesystem::path& aside);

}  // namespace servecast
