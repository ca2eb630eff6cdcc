#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/base/fields.h"
#include "models/hw/llm/weight_types.h"
#include "models/hw/machine/kernels.h"

namespace servecast {

/// Dense tensor-core peaks of the data sheet; 0 where the GPU has no such unit.
struct Peaks {
  double bf16_flop_per_s = 0;
  double fp8_flop_per_s = 0;
  double int8_flop_per_s = 0;
  double int4_flop_per_s = 0;
  double fp4_flop_per_s = 0;

  bool operator==(const Peaks&) const = default;
  void fields(Fields& f) {
    f.required("bf16_flop_per_s", bf16_flop_per_s, "bf16 and fp16, accumulated in fp32", positive);
    f.required("fp8_flop_per_s", fp8_flop_per_s, "fp8; 0: none");
    f.required("int8_flop_per_s", int8_flop_per_s, "int8; 0: none");
    f.required("int4_flop_per_s", int4_flop_per_s, "int4; 0: none");
    f.field("fp4_flop_per_s", fp4_flop_per_s, "fp4; 0: none, so nvfp4 cannot be computed");
  }
};

struct PowerDraw {
  double idle_w = 0;
  double prefill_w = 0;  // while arithmetic bounds, at the clock of its kernels' times
  double decode_w = 0;   // while memory bounds
  double tdp_w = 0;
  double cap_w = 0;  // limit as delivered; a pool may set a lower one

  void fields(Fields& f) {
    f.required("idle_w", idle_w, "with a model loaded and nothing running", positive);
    f.required(
        "prefill_w", prefill_w,
        "while arithmetic bounds, at the clock that its kernels' times are of; above cap_w: the clock falls under "
        "load",
        positive);
    f.required("decode_w", decode_w, "while memory bounds", positive);
    f.required("tdp_w", tdp_w, "most it may draw", positive);
    f.required("cap_w", cap_w, "power limit as delivered", positive);
  }
};

/// The figures of a GPU that the times of its kernels go by.
struct KernelRates {
  double hbm_bytes_per_s = 0;
  Peaks peaks{};
  double nvlink_bytes_per_s = 0;
  double pcie_h2d_bytes_per_s = 0;
  double pcie_d2h_bytes_per_s = 0;

  bool operator==(const KernelRates&) const = default;
  void fields(Fields& f) {
    f.required("hbm_bytes_per_s", hbm_bytes_per_s, "memory bandwidth of the data sheet", positive);
    f.group("peaks", peaks, "dense tensor-core rates of the data sheet");
    f.required("nvlink_bytes_per_s", nvlink_bytes_per_s, "NVLink to the other GPUs, one direction; 0: none");
    f.required("pcie_h2d_bytes_per_s", pcie_h2d_bytes_per_s, "measured copy rate from the host", positive);
    f.required("pcie_d2h_bytes_per_s", pcie_d2h_bytes_per_s, "measured copy rate to the host", positive);
  }
};

/// One accelerator. Every number comes from its file; there are no defaults.
struct Gpu {
  std::string name;  // of the file
  std::string title;
  double hbm_bytes = 0;
  double hbm_bytes_per_s = 0;
  Peaks peaks{};
  double nvlink_bytes_per_s = 0;
  double pcie_h2d_bytes_per_s = 0;
  double pcie_d2h_bytes_per_s = 0;
  PowerDraw power{};
  double usd_per_hour = 0;
  double compute_capability = 0;
  std::int64_t multiprocessors = 0;
  std::string kernels_like{};  // file of the measured GPU that `kernels` were scaled from
  std::string collectives_like{};  // that whose profiles have its collectives, where the former is joined otherwise
  std::optional<KernelRates> kernels_measured_at{};
  std::optional<Kernels> kernels{};

  bool derived() const { return !kernels_like.empty(); }
  KernelRates rates() const;
  /// Whether its kernels were measured at other figures than its file says now; `kernels` are scaled to the file's.
  bool scaled_from_measured() const { return kernels_measured_at && *kernels_measured_at != rates(); }

  void fields(Fields& f) {
    f.required("title", title, "name of the product");
    f.required("hbm_bytes", hbm_bytes, "memory that CUDA reports", positive);
    f.required("hbm_bytes_per_s", hbm_bytes_per_s, "memory bandwidth of the data sheet", positive);
    f.group("peaks", peaks, "dense tensor-core rates of the data sheet");
    f.required("nvlink_bytes_per_s", nvlink_bytes_per_s, "NVLink to the other GPUs, one direction; 0: none");
    f.required("pcie_h2d_bytes_per_s", pcie_h2d_bytes_per_s, "measured copy rate from the host", positive);
    f.required("pcie_d2h_bytes_per_s", pcie_d2h_bytes_per_s, "measured copy rate to the host", positive);
    f.group("power", power, "electrical power");
    f.required("usd_per_hour", usd_per_hour, "rent of one GPU");
    f.field("compute_capability", compute_capability, "of CUDA, where it is below 9 (Hopper); 0: not told");
    f.field("multiprocessors", multiprocessors, "streaming multiprocessors that are enabled, likewise");
    f.field("kernels_like", kernels_like, "measured GPU whose kernel constants are scaled to this one's data sheet");
    f.field(
        "collectives_like", collectives_like,
        "measured GPU whose profiles have its all-reduces and other collectives, where that of 'kernels_like' has "
        "NVLink and this one PCIe alone; left out: those of 'kernels_like'");
    f.group("kernels", kernels, "kernel constants measured on this GPU");
    f.group(
        "kernels_measured_at", kernels_measured_at,
        "figures of the GPU that 'kernels' were measured on: where this file's are others, 'kernels' are scaled to "
        "them; left out: they were measured at this file's");
  }
};

/// Data-sheet peak at which products with these weights compute; 0 where the GPU has no such unit.
double peak_flop_per_s(const Gpu& gpu, DataType weights);
/// Of the fastest of a model's layers.
double peak_flop_per_s(const Gpu& gpu, const WeightTypes& weights);
/// Likewise by the name that samples and profiles give a kind of product; what is no data type of weights
/// ("fp8_static" apart) computes in bf16, as attention does.
double peak_flop_per_s(const Gpu& gpu, std::string_view kind);

/// Why linear layers of this type have no kernel constants here, and which types have; nothing where they do. `also`:
/// types whose products a profile has.
std::optional<std::string> cannot_compute(const Gpu& gpu, DataType weights, std::span<const DataType> also = {});

/// One direction of the path to another GPU of the node: NVLink, or PCIe where there is none.
double peer_bytes_per_s(const Gpu& gpu);

/// Whether kernels take as long on both as far as the data sheet says: the same memory bandwidth, peaks and links.
bool same_rates(const Gpu& a, const Gpu& b);

/// The GPU with the figures of `kernels_measured_at`.
Gpu as_measured(Gpu gpu);

/// Kernel constants for a GPU that was not measured: those of `measured`, with its share of the data-sheet peaks.
///   arithmetic rates x ratio of the peaks of that data type, memory rates x ratio of memory bandwidths,
///   launch times, sharpness and fitted ranges unchanged, all-reduce: the part above its smallest measured time x
///   ratio of the peer bandwidths (NVLink, else PCIe).
/// Data types without a unit on `target` are left out. Leaves out: number of SMs, cache sizes, clocks, host.
Kernels scale_kernels(const Gpu& measured, const Gpu& target);

}  // namespace servecast
