#include "models/hw/profile/derived_profile.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace servecast {
namespace {

constexpr double derived_spread = 0.12;

/// What bounds the bytes of an operator that is not bound by memory.
struct Link {
  std::string_view op;
  double (*bytes_per_s)(const Gpu&);
};
double to_device(const Gpu& gpu) { return gpu.pcie_h2d_bytes_per_s; }
double to_host(const Gpu& gpu) { return gpu.pcie_d2h_bytes_per_s; }
double memory(const Gpu& gpu) { return gpu.hbm_bytes_per_s; }
constexpr std::array links{
    Link{"all_reduce", peer_bytes_per_s},
    Link{"all_gather", peer_bytes_per_s},
    Link{"reduce_scatter", peer_bytes_per_s},
    Link{"all_to_all", peer_bytes_per_s},
    Link{"p2p", peer_bytes_per_s},
    Link{"ep_dispatch", peer_bytes_per_s},
    Link{"ep_combine", peer_bytes_per_s},
    Link{"h2d", to_device},
    Link{"d2h", to_host},
};

double rate(const Gpu& gpu, std::string_view op) {
  const auto link = std::ranges::find(links, op, &Link::op);
  return (link == links.end() ? memory : link->bytes_per_s)(gpu);
}

}  // namespace

KernelProfile scale_profile(KernelProfile profile, const Gpu& measured, const Gpu& target) {
  std::erase_if(profile.operators, [&](const FittedOperator& fitted) { return peak_flop_per_s(target, fitted.dtype) == 0; });
  for (FittedOperator& fitted : profile.operators) {
    fitted.law.flop_per_s *= peak_flop_per_s(target, fitted.dtype) / peak_flop_per_s(measured, fitted.dtype);
    fitted.law.bytes_per_s *= rate(target, fitted.op) / rate(measured, fitted.op);
    for (double& spread : fitted.evidence.spread_fraction) spread = std::hypot(spread, derived_spread);
  }
  profile.elementwise_bytes_per_s *= memory(target) / memory(measured);
  return profile;
}

}  // namespace servecast
