#include "models/hw/machine/gpu.h"

#include <algorithm>
#include <array>

#include "models/base/names.h"

namespace servecast {
namespace {

void scale(GemmFits& fits, const Gpu& measured, const Gpu& target, double memory_ratio) {
  for (const DataTypeFacts& type : data_types) {
    if (type.type == DataType::fp16) continue;  // shares bf16's fit
    std::optional<GemmFit>& fit = fits.of(type.type);
    if (!fit) continue;
    const double peak = peak_flop_per_s(target, type.type);
    if (peak == 0) {
      fit.reset();
      continue;
    }
    fit->flop_per_s *= peak / peak_flop_per_s(measured, type.type);
    fit->bytes_per_s *= memory_ratio;
  }
}

void scale(AllReduceFit& fit, double link_ratio) {
  if (fit.points.empty()) return;
  const AllReducePoint least = fit.points.front();
  for (AllReducePoint& point : fit.points)
    for (double AllReducePoint::*time_s :
         {&AllReducePoint::ranks_2_s, &AllReducePoint::ranks_4_s, &AllReducePoint::ranks_8_s})
      point.*time_s = least.*time_s + (point.*time_s - least.*time_s) / link_ratio;
}

}  // namespace

double peak_flop_per_s(const Gpu& gpu, std::string_view kind) {
  if (kind == "fp8_static") return gpu.peaks.fp8_flop_per_s;
  return peak_flop_per_s(gpu, data_type(kind).value_or(DataType::bf16));
}

double peak_flop_per_s(const Gpu& gpu, DataType weights) {
  switch (facts(weights).math) {
    case DataType::fp8:
      return gpu.peaks.fp8_flop_per_s;
    case DataType::int8:
      return gpu.peaks.int8_flop_per_s;
    case DataType::nvfp4:
      return gpu.peaks.fp4_flop_per_s;
    default:
      return gpu.peaks.bf16_flop_per_s;
  }
}

double peak_flop_per_s(const Gpu& gpu, const WeightTypes& weights) {
  double fastest = 0;
  for (const DataType type : weights.all()) fastest = std::max(fastest, peak_flop_per_s(gpu, type));
  return fastest;
}

std::optional<std::string> cannot_compute(const Gpu& gpu, DataType weights, std::span<const DataType> also) {
  const GemmFits& fits = gpu.kernels.value().gemm;
  const auto computes = [&](DataType type) {
    return fits.of(type) || (peak_flop_per_s(gpu, type) > 0 && std::ranges::find(also, type) != also.end());
  };
  if (computes(weights)) return std::nullopt;
  std::vector<std::string> good;
  for (const DataTypeFacts& type : data_types)
    if (computes(type.type)) good.emplace_back(type.name);
  return gpu.title + " has no kernels for " + std::string(facts(weights).name) + " weights; valid: " + join(good);
}

double peer_bytes_per_s(const Gpu& gpu) {
  if (gpu.nvlink_bytes_per_s > 0) return gpu.nvlink_bytes_per_s;
  return std::min(gpu.pcie_h2d_bytes_per_s, gpu.pcie_d2h_bytes_per_s);
}

KernelRates Gpu::rates() const {
  return {.hbm_bytes_per_s = hbm_bytes_per_s,
          .peaks = peaks,
          .nvlink_bytes_per_s = nvlink_bytes_per_s,
          .pcie_h2d_bytes_per_s = pcie_h2d_bytes_per_s,
          .pcie_d2h_bytes_per_s = pcie_d2h_bytes_per_s};
}

bool same_rates(const Gpu& a, const Gpu& b) { return a.rates() == b.rates(); }

Gpu as_measured(Gpu gpu) {
  const KernelRates& rates = gpu.kernels_measured_at.value();
  gpu.hbm_bytes_per_s = rates.hbm_bytes_per_s;
  gpu.peaks = rates.peaks;
  gpu.nvlink_bytes_per_s = rates.nvlink_bytes_per_s;
  gpu.pcie_h2d_bytes_per_s = rates.pcie_h2d_bytes_per_s;
  gpu.pcie_d2h_bytes_per_s = rates.pcie_d2h_bytes_per_s;
  return gpu;
}

Kernels scale_kernels(const Gpu& measured, const Gpu& target) {
  Kernels k = measured.kernels.value();
  const double memory_ratio = target.hbm_bytes_per_s / measured.hbm_bytes_per_s;
  scale(k.gemm, measured, target, memory_ratio);
  scale(k.moe, measured, target, memory_ratio);
  scale(k.all_reduce, peer_bytes_per_s(target) / peer_bytes_per_s(measured));
  k.decode_attention.bytes_per_s *= memory_ratio;
  k.prefill_attention.flop_per_s *= target.peaks.bf16_flop_per_s / measured.peaks.bf16_flop_per_s;
  k.elementwise_bytes_per_s *= memory_ratio;
  return k;
}

}  // namespace servecast
