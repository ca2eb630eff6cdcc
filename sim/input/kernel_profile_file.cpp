#include "sim/input/kernel_profile_file.h"

#include "models/hw/profile/kernel_times.h"
#include "sim/input/library.h"
#include "sim/input/yaml_fields.h"

namespace servecast {

KernelProfile load_profile(const std::string& name_or_path, const Place& where, const std::string& named_in) {
  YamlText text = YamlText::load(library_file(profile_shelf, name_or_path, where, named_in));
  KernelProfile profile;
  profile.name = std::filesystem::path(text.file).stem().string();
  YamlFields fields(text);
  profile.fields(fields);
  fields.finish();
  text.throw_problems();
  if (const auto problem = profile_problem(profile))
    text.fail("operators[" + std::to_string(problem->entry) + "]", problem->message);
  text.throw_problems();
  return profile;
}

std::vector<std::string> list_profiles() { return library_names(profile_shelf); }

}  // namespace servecast
