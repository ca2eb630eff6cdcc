#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "models/hw/llm/llm.h"
#include "models/hw/profile/kernel_profile.h"

namespace servecast {

/// A bundled profile's name, or the path of a YAML file (as seen from the folder of `named_in`). Throws UserError at
/// `where` for an unknown name, in the file itself for what is wrong there.
KernelProfile load_profile(const std::string& name_or_path, const Place& where, const std::string& named_in = "");

/// Why step times of this model cannot be had from the profile; nothing where they can.
std::optional<std::string> missing_attention(const KernelProfile& profile, const Llm& llm);

/// Whether it knows how tokens are sent to experts on other GPUs: by DeepEP's kernels, or TensorRT-LLM's over NVLink.
bool exchanges_experts(const KernelProfile& profile, bool over_nvlink = false);

/// The measured shapes of what matters most, in words: products, prompts, decodes.
std::string fitted_range(const KernelProfile& profile, std::string_view weights);

/// Bundled names, sorted.
std::vector<std::string> list_profiles();

}  // namespace servecast
