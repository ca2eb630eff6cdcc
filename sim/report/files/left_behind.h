#pragma once
#include <filesystem>
#include <string>

namespace servecast {

/// A name for what this process is about to write: "<stem><pid>".
std::string name_of_this_process(const std::string& stem);

/// Is `name` such a name of a process that is gone, killed before it could clear away, or a leftover with our number?
bool left_behind(const std::string& name, const std::string& stem);

/// Removes the files in `folder` that were left behind under `stem`.
void remove_left_behind(const std::filesystem::path& folder, const std::string& stem);

}  // namespace servecast
