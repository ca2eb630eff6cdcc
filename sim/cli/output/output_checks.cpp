#include "sim/cli/output/output_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/base/error.h"
#include "sim/input/yaml/yaml_fields.h"

namespace servecast {

namespace fs = std::filesystem;

namespace {

/// Through symbolic links; empty where the way cannot be followed: the code that writes there reports it.
fs::path meant(const std::string& name) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(fs::absolute(name, error), error);
  return path.has_filename() ? path : path.parent_path();  // without a slash at its end
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

}  // namespace

void refuse_to_replace_input(const std::string& option, const std::string& file,
                             const std::vector<std::string>& read) {
  std::error_code missing;  // then it is another file
  for (const std::string& input : read)
    if (fs::equivalent(file, YamlText::file_of(input), missing))
      throw UserError(fmt::format("{}: '{}' is read by this run; give another file", option, file));
}

void refuse_in_report(const std::string& option, const std::string& file, const std::string& out) {
  const fs::path folder = meant(out);
  if (!folder.empty() && lies_in(meant(file), folder))
    throw UserError(fmt::format(
        "{}: '{}' lies in the folder of --out, which holds the report alone; give a place outside it", option, file));
}

}  // namespace servecast
