#include "sim/input/library/kernel_profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/hw/profile/kernel_times.h"
#include "sim/input/files/files_read.h"
#include "sim/input/library/library.h"
#include "sim/input/library/profile_cache.h"
#include "sim/input/yaml/plain_fields.h"
#include "sim/input/yaml/yaml_fields.h"

namespace servecast {
namespace {

const FittedOperator* find(const KernelProfile& profile, std::string_view op, std::string_view dtype) {
  const FittedOperator* found = nullptr;
  for (const FittedOperator& fitted : profile.operators)
    if (fitted.op == op && fitted.mode.empty() && (found == nullptr || fitted.dtype == dtype)) found = &fitted;
  return found;
}

/// A file as `servecast-calibrate fit` writes it, which is read quickly; nothing where it is any other, or wrong.
std::optional<KernelProfile> as_written(const std::string& yaml) {
  PlainFields fields(yaml);
  KernelProfile profile;
  profile.fields(fields);
  if (!fields.understood() || profile_problem(profile)) return std::nullopt;
  return profile;
}

KernelProfile by_hand(YamlText text) {
  KernelProfile profile;
  YamlFields fields(text);
  profile.fields(fields);
  fields.finish();
  text.throw_problems();
  if (const auto problem = profile_problem(profile))
    text.fail("operators[" + std::to_string(problem->entry) + "]", problem->message);
  text.throw_problems();
  return profile;
}

/// Largest size along an axis of an operator's grid; 0 where there is none.
std::int64_t largest(const FittedOperator* fitted, std::string_view axis) {
  if (fitted != nullptr)
    for (const GridAxis& candidate : fitted->residual.axes)
      if (candidate.name == axis) return std::llround(candidate.points.back());
  return 0;
}

}  // namespace

KernelProfile load_profile(const std::string& name_or_path, const Place& where, const std::string& named_in) {
  const std::string file = library_file(profile_folder, name_or_path, where, named_in);
  if (const KernelProfile* kept = ProfileCache::find(file)) {
    FilesRead::note(file);
    return *kept;
  }
  const std::string yaml = YamlText::read(file);
  std::optional<KernelProfile> profile = as_written(yaml);
  if (profile)
    FilesRead::note(file);
  else
    profile = by_hand(YamlText::parse(yaml, file));
  profile->name = std::filesystem::path(YamlText::file_of(file)).stem().string();
  ProfileCache::keep(file, *profile);
  return *std::move(profile);
}

std::optional<std::string> missing_attention(const KernelProfile& profile, const Llm& llm) {
  for (const char* op :
       {llm.latent ? "mla_decode" : "decode_attention", llm.latent ? "mla_prefill" : "prefill_attention"})
    if (find(profile, op, "") == nullptr) return fmt::format("profile '{}' has no '{}'", profile.name, op);
  return std::nullopt;
}

bool exchanges_experts(const KernelProfile& profile, bool over_nvlink) {
  const auto has = [&](std::string_view op) {
    return std::ranges::find(profile.operators, op, &FittedOperator::op) != profile.operators.end();
  };
  return over_nvlink ? has("nvlink_dispatch") && has("nvlink_combine") : has("ep_dispatch") && has("ep_combine");
}

std::string fitted_range(const KernelProfile& profile, std::string_view weights) {
  const FittedOperator* prefill = find(profile, "prefill_attention", "");
  const FittedOperator* decode = find(profile, "decode_attention", "");
  return fmt::format("products to {} rows, prompts to {} tokens, decodes to {} sequences of {} tokens",
                     largest(find(profile, "gemm", weights), "m"), largest(prefill, "tokens"),
                     largest(decode, "sequences"), largest(decode, "context"));
}

std::vector<std::string> list_profiles() { return library_names(profile_folder); }

}  // namespace servecast
