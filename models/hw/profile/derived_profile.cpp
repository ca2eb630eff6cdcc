#include "models/hw/profile/derived_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

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
    Link{"h2d", to_device},
    Link{"d2h", to_host},
};

/// DeepEP's kernels on an H100 move less than its NVLink could, and on an H800 all that its own can: 153 to 158 of
/// 200 GB/s (DeepEP's README). A copy reaches 0.8 of the link's rate (p2p of the H100 profile).
constexpr double link_share = 0.8;
bool exchanges(const FittedOperator& fitted) {
  return fitted.op.starts_with("ep_") || fitted.op.starts_with("nvlink_");
}

bool is_collective(const FittedOperator& fitted) {
  constexpr std::array<std::string_view, 4> collectives{"all_reduce", "all_gather", "reduce_scatter", "all_to_all"};
  return fitted.mode != "across_nodes" && std::ranges::find(collectives, fitted.op) != collectives.end();
}

double rate(const Gpu& gpu, std::string_view op) {
  const auto link = std::ranges::find(links, op, &Link::op);
  return (link == links.end() ? memory : link->bytes_per_s)(gpu);
}

}  // namespace

KernelProfile scale_profile(KernelProfile profile, const Gpu& measured, const Gpu& target) {
  std::erase_if(profile.operators,
                [&](const FittedOperator& fitted) { return peak_flop_per_s(target, fitted.dtype) == 0; });
  for (FittedOperator& fitted : profile.operators) {
    fitted.law.flop_per_s *= peak_flop_per_s(target, fitted.dtype) / peak_flop_per_s(measured, fitted.dtype);
    if (exchanges(fitted))
      fitted.law.bytes_per_s = std::min(fitted.law.bytes_per_s, link_share * peer_bytes_per_s(target));
    else
      fitted.law.bytes_per_s *= rate(target, fitted.op) / rate(measured, fitted.op);
    for (double& spread : fitted.evidence.spread_fraction) spread = std::hypot(spread, derived_spread);
  }
  if (target.nvlink_bytes_per_s == 0)
    std::erase_if(profile.transfers, [](const TransferLaw& law) { return law.op == "p2p"; });
  for (TransferLaw& law : profile.transfers) {
    const double ratio = rate(target, law.op) / rate(measured, law.op);
    for (double TransferLaw::*bytes_per_s :
         {&TransferLaw::bytes_per_s, &TransferLaw::side_by_side_bytes_per_s, &TransferLaw::gathered_bytes_per_s})
      law.*bytes_per_s *= ratio;
    if (ratio == 1) continue;  // the same link
    law.basis = "derived";
    law.source += ", scaled from " + measured.name;
  }
  profile.elementwise_bytes_per_s *= memory(target) / memory(measured);
  return profile;
}

KernelProfile with_collectives(KernelProfile profile, const KernelProfile& other) {
  std::erase_if(profile.operators, is_collective);
  std::ranges::copy_if(other.operators, std::back_inserter(profile.operators), is_collective);
  return profile;
}

}  // namespace servecast
