#include "sim/report/files/output_folder.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "models/base/error.h"
#include "sim/report/files/left_behind.h"
#include "sim/report/files/replace_folder.h"

namespace servecast {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view partial_mark = ".partial-";  // a report being written, or one just replaced
constexpr std::string_view aside_mark = ".aside-";      // the old report, while the new one takes its name

fs::path beside(const fs::path& dir, std::string_view mark) {
  return dir.parent_path() / name_of_this_process(dir.filename().string() + std::string(mark));
}

/// The folder meant, through symbolic links and without a slash at its end.
fs::path resolved(const std::string& dir) {
  if (dir.empty()) throw UserError("the output folder has no name");
  const fs::path path = fs::weakly_canonical(fs::absolute(dir));
  return path.has_filename() ? path : path.parent_path();
}

/// The first thing in the folder that no report has; empty where there is none.
std::string stranger(const fs::path& dir) {
  for (const fs::directory_entry& entry : fs::directory_iterator(dir)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::find(report_files, name) == report_files.end() || !entry.is_regular_file()) return name;
  }
  return "";
}

void refuse_what_is_not_ours(const fs::path& dir) {
  if (!fs::exists(dir)) return;
  if (!fs::is_directory(dir)) throw UserError({dir.string()}, "is not a folder, so no report can be put there");
  if (const std::string name = stranger(dir); !name.empty())
    throw UserError({dir.string()}, "holds '" + name + "', which no report has, so it is not replaced; " +
                                        "name a new folder, an empty one or an earlier report");
}

/// Is this something that a run into `dir` left when it was killed?
bool left_beside(const fs::path& path, const fs::path& dir, std::string_view mark) {
  return left_behind(path.filename().string(), dir.filename().string() + std::string(mark));
}

/// Clears away what killed runs left beside `dir`. One killed between two renames left the old report aside.
void tidy(const fs::path& dir) {
  std::vector<fs::path> beside_it;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir.parent_path()))
    beside_it.push_back(entry.path());
  for (const fs::path& path : beside_it)
    if (left_beside(path, dir, aside_mark) && !fs::exists(dir)) fs::rename(path, dir);
  for (const fs::path& path : beside_it) {
    const bool ours = left_beside(path, dir, partial_mark) || left_beside(path, dir, aside_mark);
    if (ours && fs::is_directory(path) && stranger(path).empty()) fs::remove_all(path);
  }
}

}  // namespace

OutputFolder::OutputFolder(const std::string& dir) : dir_(resolved(dir)), partial_(beside(dir_, partial_mark)) {
  try {
    fs::create_directories(dir_.parent_path());
    refuse_what_is_not_ours(dir_);
    tidy(dir_);
    fs::create_directory(partial_);
  } catch (const fs::filesystem_error& e) {
    throw UserError({dir_.string()}, "cannot be written: " + e.code().message());
  }
  std::vector<std::string> files;
  for (const std::string_view name : report_files) files.push_back(file(name));
  on_signal_.emplace(std::move(files), partial_.string());
}

OutputFolder::~OutputFolder() {
  on_signal_.reset();
  std::error_code ignored;  // a destructor cannot report; what stays is removed by the next run
  if (!partial_.empty()) fs::remove_all(partial_, ignored);
}

std::string OutputFolder::file(std::string_view name) const {
  assert(std::ranges::find(report_files, name) != report_files.end());
  return (partial_ / name).string();
}

void OutputFolder::commit() {
  try {
    refuse_what_is_not_ours(dir_);  // another program may have put something there meanwhile
    replace_folder(partial_, dir_, beside(dir_, aside_mark));
  } catch (const fs::filesystem_error& e) {
    on_signal_.reset();
    const std::string kept = std::exchange(partial_, fs::path{}).string();
    throw UserError({dir_.string()}, "cannot be replaced: " + e.code().message() + "; the report is in " + kept);
  }
  // What is at partial_ now is the old report, if anything; the destructor removes it.
}

}  // namespace servecast
