#include "models/hw/profile/transfer_law.h"

#include <algorithm>
#include <array>

#include "models/hw/machine/gpu.h"
#include "models/hw/profile/kernel_profile.h"

namespace servecast {
namespace {

constexpr auto modes = [] {
  using enum CopyRole;
  return std::array{
      CopyMode{"h2d", "pinned", alone},
      CopyMode{"h2d", "pinned_2_streams", side_by_side},
      CopyMode{"h2d", "pinned_4_streams", side_by_side},
      CopyMode{"h2d", "pinned_8_streams", side_by_side},
      CopyMode{"h2d", "pinned_4_pieces", pieces, false, 4},
      CopyMode{"h2d", "pinned_16_pieces", pieces, false, 16},
      CopyMode{"h2d", "pinned_blocks", pieces},
      CopyMode{"h2d", "pinned_gathered", gathered},
      CopyMode{"h2d", "pinned_beside_products", beside_products},
      CopyMode{"h2d", "pageable", alone, true},
      CopyMode{"h2d", "pageable_4_streams", side_by_side, true},
      CopyMode{"d2h", "pinned", alone},
      CopyMode{"d2h", "pinned_2_streams", side_by_side},
      CopyMode{"d2h", "pinned_4_streams", side_by_side},
      CopyMode{"d2h", "pinned_8_streams", side_by_side},
      CopyMode{"d2h", "pinned_4_pieces", pieces, false, 4},
      CopyMode{"d2h", "pinned_16_pieces", pieces, false, 16},
      CopyMode{"d2h", "pinned_blocks", pieces},
      CopyMode{"d2h", "pinned_gathered", gathered},
      CopyMode{"d2h", "pinned_beside_products", beside_products},
      CopyMode{"d2d", "copy", alone},
      CopyMode{"d2d", "gather_copies", pieces},
      CopyMode{"d2d", "gather_kernel", gathered},
      CopyMode{"d2d", "scatter_kernel", gathered},
      CopyMode{"p2p", "copy_engine", alone},
      CopyMode{"p2p", "nccl", alone},
  };
}();

const TransferLaw* find(const KernelProfile* profile, std::string_view op, bool pageable) {
  if (profile == nullptr) return nullptr;
  const auto found = std::ranges::find_if(
      profile->transfers, [&](const TransferLaw& law) { return law.op == op && law.pageable == pageable; });
  return found == profile->transfers.end() ? nullptr : &*found;
}

TransferLaw of_file(const Gpu& gpu, std::string_view op, double bytes_per_s) {
  return {.op = std::string(op), .bytes_per_s = bytes_per_s, .basis = "data sheet", .source = "file of " + gpu.name};
}

/// Pieces that a kernel gathers in the GPU's memory, and one copy of them, where the two were not timed together.
TransferLaw with_gather(TransferLaw host, const TransferLaw* within) {
  if (host.gathered_bytes_per_s > 0 || within == nullptr || within->gathered_bytes_per_s == 0) return host;
  host.gathered_start_s = host.start_s + within->gathered_start_s;
  host.gathered_bytes_per_s = 1 / (1 / host.bytes_per_s + 1 / within->gathered_bytes_per_s);
  return host;
}

}  // namespace

double TransferLaw::link_bytes_per_s() const { return std::max(bytes_per_s, side_by_side_bytes_per_s); }

double TransferLaw::link_bytes(const Copy& copy, double link) const {
  double slower = link / (copy.side_by_side ? link_bytes_per_s() : bytes_per_s);
  if (copy.beside_products) slower /= beside_products_fraction;
  const double copied = copy.bytes * slower + (copy.pieces - 1) * piece_s * link;
  if (copy.pieces <= 1 || gathered_bytes_per_s == 0) return copied;
  return std::min(copied, copy.bytes * (link / gathered_bytes_per_s) + (gathered_start_s - start_s) * link);
}

double TransferLaw::seconds(const Copy& copy) const { return start_s + link_bytes(copy) / link_bytes_per_s(); }

double TransferLaws::peer_bytes_per_s() const {
  return peer.bytes_per_s > 0 ? peer.bytes_per_s : std::min(h2d.bytes_per_s, d2h.bytes_per_s);
}

TransferLaws transfer_laws(const Gpu& gpu, const KernelProfile* profile) {
  const TransferLaw* within = find(profile, "d2d", false);
  const auto host = [&](std::string_view op, double bytes_per_s) {
    const TransferLaw* law = find(profile, op, false);
    return law == nullptr ? of_file(gpu, op, bytes_per_s) : with_gather(*law, within);
  };
  TransferLaws laws{.h2d = host("h2d", gpu.pcie_h2d_bytes_per_s), .d2h = host("d2h", gpu.pcie_d2h_bytes_per_s)};
  const TransferLaw* peer = gpu.nvlink_bytes_per_s > 0 ? find(profile, "p2p", false) : nullptr;
  laws.peer = peer == nullptr ? of_file(gpu, "p2p", gpu.nvlink_bytes_per_s) : *peer;
  if (const TransferLaw* pageable = find(profile, "h2d", true)) laws.h2d_pageable = *pageable;
  return laws;
}

const CopyMode* copy_mode(std::string_view op, std::string_view mode) {
  const auto found = std::ranges::find_if(modes, [&](const CopyMode& m) { return m.op == op && m.mode == mode; });
  return found == modes.end() ? nullptr : &*found;
}

bool is_copy(std::string_view op) { return std::ranges::find(modes, op, &CopyMode::op) != modes.end(); }

}  // namespace servecast
