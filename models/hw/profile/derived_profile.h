#pragma once
#include "models/hw/machine/gpu.h"
#include "models/hw/profile/kernel_profile.h"

namespace servecast {

/// A profile for a GPU that was not measured: that of `measured`, with the rates of its laws scaled to `target`'s
/// data sheet, as scale_kernels() scales the roofline's. Arithmetic goes by the peak of its data type, memory by its
/// bandwidth, collectives and copies between GPUs by the link between them (left out where it is no NVLink: copies
/// over PCIe go by the host's), copies to and from the host by PCIe. What the laws leave (tiles, waves, caches),
/// launch times and fitted ranges are taken over. Operators whose data type `target` has no unit for are left out.
/// Spreads grow by the 0.12 that forecasts of servers with such GPUs were off by beyond those with measured ones
/// (TensorRT-LLM 0.15 on A100 PCIe and L40S: 61 rows, docs/accuracy.md).
KernelProfile scale_profile(KernelProfile profile, const Gpu& measured, const Gpu& target);

/// `profile` with the collectives inside a node of `other`: all-reduces over NVLink are other kernels than those over
/// PCIe, not slower ones.
KernelProfile with_collectives(KernelProfile profile, const KernelProfile& other);

}  // namespace servecast
