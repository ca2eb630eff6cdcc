#include "sim/input/library/hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/library/library.h"
#include "sim/input/yaml/yaml_fields.h"

namespace servecast {
namespace {

template <HasFields T>
T read_file(YamlText& text) {
  T value;
  value.name = std::filesystem::path(text.file).stem().string();
  YamlFields fields(text);
  value.fields(fields);
  fields.finish();
  return value;
}

template <HasFields T>
T load(const LibraryFolder& folder, const std::string& name_or_path, const Place& where,
       const std::string& named_in) {
  YamlText text = YamlText::load(library_file(folder, name_or_path, where, named_in));
  const T value = read_file<T>(text);
  text.throw_problems();
  return value;
}

/// What fields() cannot say: fits needed by every model, and points in order.
void check_kernels(YamlText& text, const Kernels& kernels) {
  if (!kernels.gemm.bf16)
    text.fail("kernels.gemm", "'bf16' is missing: the LM head is computed in bf16 whatever the weights");
  if (!kernels.moe.bf16) text.fail("kernels.moe", "'bf16' is missing: other data types fall back on it");
  const auto& points = kernels.all_reduce.points;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const std::string path = "kernels.all_reduce.points[" + std::to_string(i) + "]";
    if (points[i].bytes <= points[i - 1].bytes) text.fail(path, "'bytes' must rise from point to point");
    if (points[i].ranks_2_s < points[i - 1].ranks_2_s || points[i].ranks_4_s < points[i - 1].ranks_4_s ||
        points[i].ranks_8_s < points[i - 1].ranks_8_s)
      text.fail(path, "is faster than the point before it, although it is larger");
  }
}

bool has_unit_unmeasured(const Peaks& measured, const Peaks& now) {
  for (const auto rate : {&Peaks::bf16_flop_per_s, &Peaks::fp8_flop_per_s, &Peaks::int8_flop_per_s,
                          &Peaks::int4_flop_per_s, &Peaks::fp4_flop_per_s})
    if (measured.*rate == 0 && now.*rate > 0) return true;
  return false;
}

/// Constants of the file's own that were measured at other figures follow those of the file.
void follow_figures(YamlText& text, Gpu& gpu) {
  const Gpu measured = as_measured(gpu);
  if (has_unit_unmeasured(measured.peaks, gpu.peaks))
    text.fail("kernels_measured_at.peaks",
              "has no rate for a unit that 'peaks' has: nothing was measured that could be scaled to it");
  else if (gpu.scaled_from_measured())
    gpu.kernels = scale_kernels(measured, gpu);
}

}  // namespace

void check_power(YamlText& text, const std::string& path, const PowerDraw& power) {
  if (power.cap_w <= power.idle_w || power.cap_w > power.tdp_w)
    text.fail(path + ".cap_w", fmt::format("must be above 'idle_w', {} W, and at most 'tdp_w', {} W, not {} W",
                                           power.idle_w, power.tdp_w, power.cap_w));
  for (const auto& [name, watts] : {std::pair("prefill_w", power.prefill_w), std::pair("decode_w", power.decode_w)})
    if (watts < power.idle_w)
      text.fail(path + "." + name, fmt::format("must be at least 'idle_w', {} W, not {} W", power.idle_w, watts));
}

namespace {

/// As its file says: kernels only where it has its own.
Gpu read_gpu(YamlText& text) {
  Gpu gpu = read_file<Gpu>(text);
  if (gpu.kernels.has_value() == gpu.derived())
    text.fail("", "give either 'kernels' (measured on this GPU) or 'kernels_like' (the name of a measured GPU)");
  else if (gpu.kernels)
    check_kernels(text, *gpu.kernels);
  else if (gpu.kernels_measured_at)
    text.fail("kernels_measured_at",
              "says where 'kernels' were measured, and this file takes those of '" + gpu.kernels_like + "'");
  if (text.problems.empty()) check_power(text, "power", gpu.power);
  text.throw_problems();
  if (gpu.kernels_measured_at) follow_figures(text, gpu);
  text.throw_problems();
  return gpu;
}

YamlText gpu_text(const std::string& name_or_path, const Place& where, const std::string& named_in) {
  return YamlText::load(library_file(gpu_folder, name_or_path, where, named_in));
}

bool has_profiles(const Gpu& gpu) {
  return std::ranges::any_of(list_profiles(),
                             [&](const std::string& profile) { return profile.starts_with(gpu.name + "."); });
}

/// The GPU whose constants those of `kernels_like` are. One that has none of its own may be named for its kernel
/// profiles; its constants are those of the GPU that it names.
Gpu measured_gpu_of(YamlText& text, const Gpu& gpu) {
  YamlText like = gpu_text(gpu.kernels_like, text.place("kernels_like"), text.file);
  Gpu named = read_gpu(like);
  if (!named.derived()) return named;
  YamlText root_text = gpu_text(named.kernels_like, like.place("kernels_like"), like.file);
  Gpu root = read_gpu(root_text);
  if (root.derived())
    text.fail("kernels_like",
              fmt::format("'{}' goes back to '{}', which is derived, too; name a GPU whose kernels were measured",
                          gpu.kernels_like, root.name));
  else if (!has_profiles(named))
    text.fail("kernels_like", fmt::format("'{}' is derived, too, and has no kernel profiles of its own; name '{}'",
                                          gpu.kernels_like, root.name));
  text.throw_problems();
  return root;
}

void check_collectives(YamlText& text, const Gpu& gpu) {
  if (gpu.collectives_like.empty()) return;
  if (!gpu.derived()) text.fail("collectives_like", "goes with 'kernels_like': a measured GPU has its own");
  YamlText like = gpu_text(gpu.collectives_like, text.place("collectives_like"), text.file);
  if (!has_profiles(read_gpu(like)))
    text.fail("collectives_like",
              fmt::format("'{}' has no kernel profiles; l40s_48g has, over PCIe", gpu.collectives_like));
  text.throw_problems();
}

}  // namespace

Gpu load_gpu(const std::string& name_or_path, const Place& where, const std::string& named_in) {
  YamlText text = gpu_text(name_or_path, where, named_in);
  Gpu gpu = read_gpu(text);
  if (gpu.derived()) gpu.kernels = scale_kernels(measured_gpu_of(text, gpu), gpu);
  check_collectives(text, gpu);
  return gpu;
}

Node load_node(const std::string& name_or_path, const Place& where, const std::string& named_in) {
  return load<Node>(node_folder, name_or_path, where, named_in);
}

Fabric load_fabric(const std::string& name_or_path, const Place& where, const std::string& named_in) {
  return load<Fabric>(fabric_folder, name_or_path, where, named_in);
}

EngineProfile load_engine(const std::string& name_or_path, const Place& where, const std::string& named_in) {
  return load<EngineProfile>(engine_folder, name_or_path, where, named_in);
}

std::vector<std::string> list_gpus() { return library_names(gpu_folder); }
std::vector<std::string> list_nodes() { return library_names(node_folder); }
std::vector<std::string> list_fabrics() { return library_names(fabric_folder); }
std::vector<std::string> list_engines() { return library_names(engine_folder); }

}  // namespace servecast
