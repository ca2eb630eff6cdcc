#include "kernels/gemm/gemm_kernel.h"

namespace servecast::gemms {

template <>
bool start_kind<GemmKind::plain>(const Gemm& g, bool bf16, Stream stream) {
  return bf16 ? start<Same<Bf16, Bf16, float>>(g, stream) : start<Same<Half, Half, float>>(g, stream);
}

}  // namespace servecast::gemms
