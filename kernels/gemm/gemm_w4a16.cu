#include "kernels/gemm/gemm_kernel.h"

namespace servecast::gemms {

template <>
bool start_kind<GemmKind::w4a16>(const Gemm& g, bool bf16, Stream stream) {
  return bf16 ? start<Int4Weights<Bf16>>(g, stream) : start<Int4Weights<Half>>(g, stream);
}

}  // namespace servecast::gemms
