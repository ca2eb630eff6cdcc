#include "kernels/gemm/gemm_kernel.h"

namespace servecast::gemms {

template <>
bool start_kind<GemmKind::fp8>(const Gemm& g, bool bf16, Stream stream) {
  return bf16 ? start<Same<Bf16, Fp8, float>>(g, stream) : start<Same<Half, Fp8, float>>(g, stream);
}

}  // namespace servecast::gemms
